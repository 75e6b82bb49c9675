// The Python module: call objects that hold a kernel with its tables, and the choice of an instruction set.
//
// Limited API of Python 3.11, so that one build serves every later version; free-threaded builds have no such API.
#ifndef Py_GIL_DISABLED
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "check.h"
#include "dispatch.h"
#include "look_up.h"
#include "xla.h"

using namespace sizewise;
using namespace sizewise::SIZEWISE_ISA;

namespace {

// Below this many elements read and written, releasing the GIL costs more than it gives.
constexpr Index MIN_UNLOCKED_ELEMENTS = 1 << 16;

const InstructionSet *selected;

// A kernel with its tables, for arrays of one shape: made once, called often.
struct Call {
    PyObject_HEAD const Entry *entry;
    KernelArgs args;
    Layout layout;
    Shape shape;
    Index n_rows;
    Py_buffer tables[MAX_TABLES];
};

PyObject *refuse(const char *wrong) { return PyErr_Format(PyExc_ValueError, "%s", wrong); }

bool is_aligned(const Py_buffer &view, Index item_bytes) { return (uintptr_t)view.buf % (uintptr_t)item_bytes == 0; }

// Memory of a Python object, held while this exists.
struct View : Py_buffer {
    View() : Py_buffer{} {}
    ~View() { PyBuffer_Release(this); }
    View(const View &) = delete;
    bool open(PyObject *object, int flags, Index item_bytes = 1) {
        if (PyObject_GetBuffer(object, this, flags) < 0) return false;
        return is_aligned(*this, item_bytes) || refuse("arrays must be aligned to their items");
    }
};

bool read_layout(PyObject *object, Layout *layout) {
    View view;
    if (!view.open(object, PyBUF_SIMPLE)) return false;
    if (view.len != sizeof *layout)
        return PyErr_Format(PyExc_ValueError, "a layout has %zu bytes, not %zd", sizeof *layout, view.len);
    memcpy(layout, view.buf, sizeof *layout);
    return true;
}

// The item size of a table is what its use relies on.
bool read_tables(Call *self, PyObject *tables) {
    Py_ssize_t n = PyTuple_Size(tables);
    if (n < 2 || n > MAX_TABLES) return refuse("a call has two to four tables");
    for (int i = 0; i < n; i++) {
        Py_buffer *view = &self->tables[i];
        if (PyObject_GetBuffer(PyTuple_GetItem(tables, i), view, PyBUF_SIMPLE) < 0) return false;
        Index any = view->itemsize > 0 ? view->itemsize : 1, bytes = self->entry->table_bytes(i);
        if ((bytes && any != bytes) || !is_aligned(*view, any))
            return PyErr_Format(PyExc_ValueError, "table %d must hold aligned items of %zd bytes", i,
                                (Py_ssize_t)bytes);
        self->args.tables[i] = {view->buf, view->len / any};
    }
    return true;
}

bool prepare_call(Call *self, PyObject *args) {
    const char *name;
    PyObject *layout, *tables;
    long long n_rows, x_size, out_size;
    if (!PyArg_ParseTuple(args, "sOO!dLLL", &name, &layout, &PyTuple_Type, &tables, &self->args.parameter, &n_rows,
                          &x_size, &out_size))
        return false;
    self->entry = selected->find(name);
    if (!self->entry) return PyErr_Format(PyExc_ValueError, "there is no kernel %s", name);
    self->n_rows = n_rows, self->args.x_size = x_size, self->args.out_size = out_size;
    self->args.layout = &self->layout;
    if (!read_layout(layout, &self->layout) || !read_tables(self, tables)) return false;
    const char *wrong = check_call(self->entry->kind, self->args, n_rows, self->shape);
    return !wrong || PyErr_Format(PyExc_ValueError, "kernel %s was given %s", name, wrong);
}

void call_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    for (Py_buffer &table : ((Call *)object)->tables) PyBuffer_Release(&table);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

PyObject *call_new(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *self = ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self && !prepare_call((Call *)self, args)) Py_CLEAR(self);
    return self;
}

// One call on its way through the thread pool.
struct Run {
    const Call *call;
    KernelArgs args = call->args;
    PyThreadState *unlocked = nullptr;

    static int fill_band(void *context, Index first, Index last) {
        const Run *run = (const Run *)context;
        KernelArgs args = run->args;
        args.first = first, args.last = last;
        return run->call->entry->kernel(args);
    }
    // Let Python handle Ctrl-C between two bands: on the main thread, which alone handles signals.
    static int check_signals(void *context) {
        Run *run = (Run *)context;
        PyEval_RestoreThread(run->unlocked);
        int interrupted = PyErr_CheckSignals();
        run->unlocked = PyEval_SaveThread();
        return interrupted;
    }
};

const char *check_sizes(const Call *self, Index x_bytes, Index out_bytes) {
    const Entry &entry = *self->entry;
    bool fits = x_bytes == self->args.x_size * entry.x_bytes && out_bytes == self->args.out_size * entry.out_bytes;
    return fits ? nullptr : "arrays of other sizes than the call was made for";
}

const char *check_bands(const Call *self, const Bands &bands) {
    for (const Band *band = bands.all; band < bands.all + bands.n; band++)
        if (band->first < 0 || band->first > band->last || band->last > self->n_rows)
            return "a band outside the rows of the call";
    return nullptr;
}

PyObject *finish_call(int status) {
    if (PyErr_Occurred()) return nullptr;
    if (status == NO_MEMORY) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

// fill(x, out): all rows of contiguous arrays, on this thread.
PyObject *call_fill(PyObject *object, PyObject *const *given, Py_ssize_t n_given) {
    const Call *self = (const Call *)object;
    View x, out;
    if (n_given != 2) return PyErr_Format(PyExc_TypeError, "fill takes x and out");
    if (!x.open(given[0], PyBUF_SIMPLE, self->entry->x_bytes)) return nullptr;
    if (!out.open(given[1], PyBUF_WRITABLE, self->entry->out_bytes)) return nullptr;
    if (const char *wrong = check_sizes(self, x.len, out.len)) return refuse(wrong);
    KernelArgs args = self->args;
    args.x = x.buf, args.out = out.buf, args.first = 0, args.last = self->n_rows;
    bool unlocks = args.x_size + args.out_size >= MIN_UNLOCKED_ELEMENTS;
    PyThreadState *unlocked = unlocks ? PyEval_SaveThread() : nullptr;
    int status = self->entry->kernel(args);
    if (unlocks) PyEval_RestoreThread(unlocked);
    return finish_call(status);
}

// run(x, out, layout, bands, n_threads, n_left_to_caller, is_main): flat arrays; layout None for that of contiguous
// ones; bands as pairs of int64.
PyObject *call_run(PyObject *object, PyObject *args) {
    const Call *self = (const Call *)object;
    PyObject *x_object, *out_object, *layout_object, *bands_object;
    int n_threads, is_main;
    long long n_left;
    if (!PyArg_ParseTuple(args, "OOOOiLp", &x_object, &out_object, &layout_object, &bands_object, &n_threads, &n_left,
                          &is_main))
        return nullptr;
    Layout layout = self->layout;
    if (layout_object != Py_None && !read_layout(layout_object, &layout)) return nullptr;
    View x, out, edges;
    if (!x.open(x_object, PyBUF_SIMPLE, self->entry->x_bytes)) return nullptr;
    if (!out.open(out_object, PyBUF_WRITABLE, self->entry->out_bytes)) return nullptr;
    if (!edges.open(bands_object, PyBUF_SIMPLE, sizeof(Index))) return nullptr;
    Run run = {self};
    run.args.x = x.buf, run.args.x_size = x.len / self->entry->x_bytes;
    run.args.out = out.buf, run.args.out_size = out.len / self->entry->out_bytes;
    run.args.layout = &layout;
    Bands bands = {(const Band *)edges.buf, edges.len / (Index)sizeof(Band), n_threads, n_left};
    const char *wrong = check_layout(layout, self->shape, self->n_rows, run.args.x_size, run.args.out_size);
    if (wrong) return PyErr_Format(PyExc_ValueError, "the call was given %s", wrong);
    wrong = check_bands(self, bands);
    if (wrong) return refuse(wrong);
    run.unlocked = PyEval_SaveThread();
    int status = run_bands(Run::fill_band, &run, bands, is_main ? Run::check_signals : nullptr);
    PyEval_RestoreThread(run.unlocked);
    return finish_call(status);
}

PyMethodDef call_methods[] = {
    {"fill", (PyCFunction)(void (*)(void))call_fill, METH_FASTCALL,
     "Fill all of contiguous out from x on this thread."},
    {"run", call_run, METH_VARARGS, "Fill bands of rows of out from x on several threads."},
    {},
};
PyType_Slot call_slots[] = {
    {Py_tp_new, (void *)call_new}, {Py_tp_dealloc, (void *)call_dealloc}, {Py_tp_methods, call_methods}, {}};
constexpr unsigned CALL_FLAGS = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE;
PyType_Spec call_spec = {"sizewise._core._native.Call", sizeof(Call), 0, CALL_FLAGS, call_slots};

// supported(): names of the instruction sets that this CPU can run, best first.
PyObject *supported(PyObject *, PyObject *) {
    PyObject *names = PyList_New(0);
    for (const InstructionSet &set : INSTRUCTION_SETS) {
        if (!names || !set.is_supported) continue;
        PyObject *name = PyUnicode_FromString(set.name);
        if (!name || PyList_Append(names, name) < 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

// select(name): use the kernels of this instruction set from now on, for new calls.
PyObject *select(PyObject *, PyObject *wanted) {
    for (const InstructionSet &set : INSTRUCTION_SETS)
        if (set.is_supported && PyUnicode_Check(wanted) && PyUnicode_CompareWithASCIIString(wanted, set.name) == 0) {
            selected = &set;
            Py_RETURN_NONE;
        }
    return PyErr_Format(PyExc_ValueError, "this CPU has no instruction set %R", wanted);
}

// look_up(x, tables, out, channels, planes): contiguous pixels through one table of 256 entries per channel.
PyObject *look_up_bytes(PyObject *, PyObject *args) {
    PyObject *x_object, *tables_object, *out_object;
    long long channels;
    int planes;
    if (!PyArg_ParseTuple(args, "OOOLp", &x_object, &tables_object, &out_object, &channels, &planes)) return nullptr;
    View x, tables, out;
    if (!x.open(x_object, PyBUF_SIMPLE) || !tables.open(tables_object, PyBUF_SIMPLE)) return nullptr;
    if (!out.open(out_object, PyBUF_WRITABLE)) return nullptr;
    if (channels < 1 || channels > x.len || x.len % channels) return refuse("pixels of another number of channels");
    const Index item = tables.len / (256 * channels), n_pixels = x.len / channels;
    if ((item != 2 && item != 4) || tables.len != 256 * channels * item) return refuse("tables of another size");
    if (out.len != x.len * item) return refuse("a result of another size");
    if (!is_aligned(tables, item) || !is_aligned(out, item)) return refuse("arrays must be aligned to their items");
    PyThreadState *unlocked = PyEval_SaveThread();
    auto fill = item == 2 ? look_up<uint16_t> : look_up<uint32_t>;
    fill((const uint8_t *)x.buf, n_pixels, channels, tables.buf, out.buf, planes);
    PyEval_RestoreThread(unlocked);
    Py_RETURN_NONE;
}

PyObject *after_fork(PyObject *, PyObject *) {
    after_fork_in_child();
    reset_xla_after_fork();
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"supported", supported, METH_NOARGS, "Return the instruction sets that this CPU can run, best first."},
    {"select", select, METH_O, "Use the kernels of an instruction set."},
    {"look_up", look_up_bytes, METH_VARARGS, "Fill out with the table entries of the bytes of x."},
    {"after_fork", after_fork, METH_NOARGS, "Forget the workers of the parent process."},
    {"xla_handler", xla_handler, METH_VARARGS, "Return the address of the handler of XLA's custom call."},
    {"xla_close", xla_close, METH_NOARGS,
     "Stop the handler from calling Python; return how many threads are in Python."},
    {"xla_clear", xla_clear, METH_NOARGS, "Drop the calls that the handler has registered; return how many."},
    {},
};

int execute(PyObject *module) {
    PyObject *type = PyType_FromModuleAndSpec(module, &call_spec, nullptr);
    if (!type) return -1;
    int failed = PyModule_AddObjectRef(module, "Call", type);
    Py_DECREF(type);
    return failed ? -1 : PyModule_AddStringConstant(module, "VERSION", SIZEWISE_VERSION);
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)execute},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {},
};
PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "Kernels of Sizewise.", 0, methods, slots, nullptr, nullptr, nullptr};

}  // namespace

const char *sizewise::check_contiguous(PyObject *call, Index x_bytes, Index out_bytes, const Bands &bands) {
    if (PyType_GetSlot(Py_TYPE(call), Py_tp_new) != (void *)call_new) return "an object that is not a Call";
    if (const char *wrong = check_sizes((const Call *)call, x_bytes, out_bytes)) return wrong;
    return check_bands((const Call *)call, bands);
}

int sizewise::run_contiguous(PyObject *call, const void *x, void *out, const Bands &bands) {
    Run run = {(const Call *)call};
    run.args.x = x, run.args.out = out;
    return run_bands(Run::fill_band, &run, bands);
}

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
