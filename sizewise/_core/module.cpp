// The Python module: call objects that hold a kernel with its tables, and the choice of an instruction set.
//
// Limited API of Python 3.11, so that one build serves every later version; free-threaded builds have no such API.
#ifndef Py_GIL_DISABLED
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "check_tables.h"
#include "dispatch.h"
#include "thread_pool.h"
#include "xla.h"

using namespace sizewise;
using namespace sizewise::SIZEWISE_ISA;

namespace {

// Below this many elements read and written, releasing the GIL costs more than it gives.
constexpr Index MIN_UNLOCKED_ELEMENTS = 1 << 16;

const KernelTable *kernels;

struct Named {
    const char *name;
    int value;
    Py_ssize_t itemsize;
};
constexpr Named KINDS[] = {
    {"vertical_only", VERTICAL_ONLY, 0},
    {"horizontal_only", HORIZONTAL_ONLY, 0},
    {"vertical_first", VERTICAL_FIRST, 0},
    {"horizontal_first", HORIZONTAL_FIRST, 0},
    {"fused_2x2", FUSED_2X2, 0},
    {"nearest", NEAREST, 0},
    {"vertical_first_verified", VERTICAL_FIRST_VERIFIED, 0},
    {"horizontal_first_verified", HORIZONTAL_FIRST_VERIFIED, 0},
    {"fixed_point", FIXED_POINT, 0},
    {"fixed_point_shuffled", FIXED_POINT_SHUFFLED, 0},
    {"fixed_point_2x2", FIXED_POINT_2X2, 0},
    {"fixed_point_pairs", FIXED_POINT_PAIRS, 0},
    {"fixed_point_pairs_shuffled", FIXED_POINT_PAIRS_SHUFFLED, 0},
};
constexpr Named TYPES[] = {
    {"", NONE, 0},           {"float32", F32, 4},    {"float64", F64, 8},    {"float16", F16, 2},
    {"bfloat16", BF16, 2},   {"uint8", U8, 1},       {"uint16", U16, 2},     {"int16", I16, 2},
    {"int32", I32, 4},       {"bits8", BITS8, 1},    {"bits16", BITS16, 2},  {"bits32", BITS32, 4},
    {"bits64", BITS64, 8},
};

template <int N> const Named *find(const Named (&names)[N], const char *name, const char *what) {
    for (const Named &named : names)
        if (strcmp(named.name, name) == 0) return &named;
    PyErr_Format(PyExc_ValueError, "there is no %s %s", what, name);
    return nullptr;
}

// A kernel with its tables, for arrays of one shape: made once, called often.
struct Call {
    PyObject_HEAD
    Kernel *kernel;
    KernelArgs args;
    Layout layout;
    Shape shape;
    Kind kind;
    Index n_rows, x_itemsize, out_itemsize;
    Py_buffer tables[MAX_TABLES];
    int n_tables;
};

bool read_layout(PyObject *object, Layout *layout) {
    Py_buffer view;
    if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) < 0) return false;
    bool fits = view.len == sizeof *layout;
    if (fits) memcpy(layout, view.buf, sizeof *layout);
    else PyErr_Format(PyExc_ValueError, "a layout has %zd bytes, not %zd", (Py_ssize_t)sizeof *layout, view.len);
    PyBuffer_Release(&view);
    return fits;
}

bool is_aligned(const Py_buffer &view, Py_ssize_t itemsize) { return ((uintptr_t)view.buf & (uintptr_t)(itemsize - 1)) == 0; }

// Tables must be int64, then of the type of sums, and so on: the item size is what their use relies on.
bool read_tables(Call *self, PyObject *tables) {
    Py_ssize_t n = PyTuple_Size(tables);
    if (n < 2 || n > MAX_TABLES) {
        PyErr_SetString(PyExc_ValueError, "a call has two to four tables");
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        Py_buffer *view = &self->tables[i];
        if (PyObject_GetBuffer(PyTuple_GetItem(tables, i), view, PyBUF_SIMPLE) < 0) return false;
        self->n_tables = (int)i + 1;
        self->args.tables[i] = {view->buf, view->itemsize > 0 ? view->len / view->itemsize : 0};
    }
    return true;
}

bool check_item_sizes(Call *self, const Named *sums) {
    Py_ssize_t expected[MAX_TABLES] = {8, sums->itemsize, 8, 8};
    if (self->kind == NEAREST) expected[1] = self->tables[1].itemsize;
    if (self->kind == VERTICAL_FIRST_VERIFIED || self->kind == HORIZONTAL_FIRST_VERIFIED) expected[1] = 4;
    if (self->kind >= FIXED_POINT) expected[1] = 2, expected[2] = sums->itemsize, expected[3] = 4;
    for (int i = 0; i < self->n_tables; i++)
        if (self->tables[i].itemsize != expected[i] || !is_aligned(self->tables[i], expected[i])) {
            PyErr_Format(PyExc_ValueError, "table %d must hold aligned items of %zd bytes", i, expected[i]);
            return false;
        }
    return true;
}

Kernel *find_kernel(Kind kind, int x, int out, int sums, int scratch) {
    for (int i = 0; i < kernels->n_entries; i++) {
        const Entry &entry = kernels->entries[i];
        if (entry.kind == kind && entry.x == x && entry.out == out && entry.sums == sums && entry.scratch == scratch) return entry.kernel;
    }
    return nullptr;
}

bool prepare_call(Call *self, PyObject *args) {
    const char *kind_name, *x_name, *out_name, *sums_name, *scratch_name;
    PyObject *layout, *tables;
    long long n_rows, x_size, out_size;
    if (!PyArg_ParseTuple(args, "s(ssss)OO!dLLL", &kind_name, &x_name, &out_name, &sums_name, &scratch_name, &layout,
                          &PyTuple_Type, &tables, &self->args.parameter, &n_rows, &x_size, &out_size))
        return false;
    const Named *kind = find(KINDS, kind_name, "kernel"), *x = find(TYPES, x_name, "element type"), *out = find(TYPES, out_name, "element type"),
                *sums = find(TYPES, sums_name, "element type"), *scratch = find(TYPES, scratch_name, "element type");
    if (!kind || !x || !out || !sums || !scratch) return false;
    self->kind = (Kind)kind->value;
    self->x_itemsize = x->itemsize, self->out_itemsize = out->itemsize;
    self->n_rows = n_rows, self->args.x_size = x_size, self->args.out_size = out_size;
    self->args.layout = &self->layout;
    self->kernel = find_kernel(self->kind, x->value, out->value, sums->value, scratch->value);
    if (!self->kernel) {
        PyErr_Format(PyExc_ValueError, "kernel %s is not built for %s -> %s with sums of %s and rows of %s", kind_name, x_name,
                     out_name, sums_name, scratch_name);
        return false;
    }
    if (!read_layout(layout, &self->layout) || !read_tables(self, tables) || !check_item_sizes(self, sums)) return false;
    const char *wrong = check_call(self->kind, self->args, n_rows, self->shape);
    if (wrong) PyErr_Format(PyExc_ValueError, "kernel %s was given %s", kind_name, wrong);
    return !wrong;
}

void call_dealloc(PyObject *object) {
    Call *self = (Call *)object;
    PyTypeObject *type = Py_TYPE(object);
    for (int i = 0; i < self->n_tables; i++) PyBuffer_Release(&self->tables[i]);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

PyObject *call_new(PyTypeObject *type, PyObject *args, PyObject *) {
    Call *self = (Call *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self && !prepare_call(self, args)) {
        Py_DECREF((PyObject *)self);
        return nullptr;
    }
    return (PyObject *)self;
}

// The memory of x and out, held while a kernel runs.
struct Buffers {
    Py_buffer x, out;
    bool open(const Call *call, PyObject *x_object, PyObject *out_object) {
        if (PyObject_GetBuffer(x_object, &x, PyBUF_SIMPLE) < 0) return false;
        if (PyObject_GetBuffer(out_object, &out, PyBUF_WRITABLE) == 0) {
            if (is_aligned(x, call->x_itemsize) && is_aligned(out, call->out_itemsize)) return true;
            PyErr_SetString(PyExc_ValueError, "arrays must be aligned to their items");
            PyBuffer_Release(&out);
        }
        PyBuffer_Release(&x);
        return false;
    }
    void close() {
        PyBuffer_Release(&out);
        PyBuffer_Release(&x);
    }
};

// One call on its way through the thread pool.
struct Run {
    Call *call;
    KernelArgs args;
    PyThreadState *unlocked = nullptr;

    static int fill_band(void *context, Index first, Index last) {
        const Run *run = (const Run *)context;
        KernelArgs args = run->args;
        args.first = first, args.last = last;
        return run->call->kernel(args);
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

PyObject *finish_call(int status) {
    if (PyErr_Occurred()) return nullptr;
    if (status == NO_MEMORY) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

// fill(x, out): all rows of contiguous arrays, on this thread.
PyObject *call_fill(PyObject *object, PyObject *const *given, Py_ssize_t n_given) {
    Call *self = (Call *)object;
    Buffers buffers;
    if (n_given != 2) return PyErr_Format(PyExc_TypeError, "fill takes x and out");
    if (!buffers.open(self, given[0], given[1])) return nullptr;
    KernelArgs args = self->args;
    args.x = buffers.x.buf, args.out = buffers.out.buf, args.first = 0, args.last = self->n_rows;
    if (buffers.x.len != args.x_size * self->x_itemsize || buffers.out.len != args.out_size * self->out_itemsize) {
        buffers.close();
        return PyErr_Format(PyExc_ValueError, "arrays of other sizes than the call was made for");
    }
    int status;
    if (args.x_size + args.out_size < MIN_UNLOCKED_ELEMENTS) {
        status = self->kernel(args);
    } else {
        Py_BEGIN_ALLOW_THREADS
        status = self->kernel(args);
        Py_END_ALLOW_THREADS
    }
    buffers.close();
    return finish_call(status);
}

// Bands as pairs of int64; nullptr, and an exception, if a band leaves the rows of the call.
const Band *read_bands(const Call *self, const Py_buffer &view) {
    const Band *bands = (const Band *)view.buf;
    for (Index i = 0; i < view.len / (Index)sizeof *bands; i++)
        if (bands[i].first < 0 || bands[i].first > bands[i].last || bands[i].last > self->n_rows) {
            PyErr_SetString(PyExc_ValueError, "a band outside the rows of the call");
            return nullptr;
        }
    return bands;
}

PyObject *run_call(Call *self, const Buffers &buffers, const Layout &layout, const Py_buffer &bands_view, int n_threads, Index n_left, bool is_main) {
    Run run = {self, self->args};
    run.args.x = buffers.x.buf, run.args.x_size = buffers.x.len / self->x_itemsize;
    run.args.out = buffers.out.buf, run.args.out_size = buffers.out.len / self->out_itemsize;
    run.args.layout = &layout;
    const char *wrong = check_layout(layout, self->shape, self->n_rows, run.args.x_size, run.args.out_size);
    if (wrong) return PyErr_Format(PyExc_ValueError, "the call was given %s", wrong);
    const Band *bands = read_bands(self, bands_view);
    if (!bands) return nullptr;
    run.unlocked = PyEval_SaveThread();
    int status = run_bands(Run::fill_band, &run, bands, bands_view.len / (Index)sizeof *bands, n_threads, n_left, is_main ? Run::check_signals : nullptr, &run);
    PyEval_RestoreThread(run.unlocked);
    return finish_call(status);
}

// run(x, out, layout, bands, n_threads, n_left_to_caller, is_main): flat arrays; layout None for that of contiguous ones.
PyObject *call_run(PyObject *object, PyObject *args) {
    Call *self = (Call *)object;
    PyObject *x, *out, *layout_object, *bands_object, *result = nullptr;
    int n_threads, is_main;
    long long n_left;
    Layout layout = self->layout;
    if (!PyArg_ParseTuple(args, "OOOOiLp", &x, &out, &layout_object, &bands_object, &n_threads, &n_left, &is_main)) return nullptr;
    if (layout_object != Py_None && !read_layout(layout_object, &layout)) return nullptr;
    Buffers buffers;
    Py_buffer bands;
    if (!buffers.open(self, x, out)) return nullptr;
    if (PyObject_GetBuffer(bands_object, &bands, PyBUF_SIMPLE) == 0) {
        result = run_call(self, buffers, layout, bands, n_threads, n_left, is_main);
        PyBuffer_Release(&bands);
    }
    buffers.close();
    return result;
}

PyMethodDef call_methods[] = {
    {"fill", (PyCFunction)(void (*)(void))call_fill, METH_FASTCALL, "Fill all of out from x, both contiguous, on this thread."},
    {"run", call_run, METH_VARARGS, "Fill bands of rows of out from x on several threads."},
    {},
};
PyType_Slot call_slots[] = {
    {Py_tp_new, (void *)call_new}, {Py_tp_dealloc, (void *)call_dealloc}, {Py_tp_methods, call_methods}, {0, nullptr},
};
PyType_Spec call_spec = {"sizewise._core._native.Call", sizeof(Call), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, call_slots};

// supported(): names of the instruction sets that this CPU can run, best first.
PyObject *supported(PyObject *, PyObject *) {
    PyObject *names = PyList_New(0);
    for (int i = 0; names && supported_kernels(i); i++) {
        PyObject *name = PyUnicode_FromString(supported_kernels(i)->isa);
        if (!name || PyList_Append(names, name) < 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

// select(name): use the kernels of this instruction set from now on, for new calls.
PyObject *select(PyObject *, PyObject *wanted) {
    PyObject *encoded = PyUnicode_AsUTF8String(wanted);
    if (!encoded) return nullptr;
    for (int i = 0; supported_kernels(i); i++)
        if (strcmp(supported_kernels(i)->isa, PyBytes_AsString(encoded)) == 0) {
            kernels = supported_kernels(i);
            Py_DECREF(encoded);
            return PyBool_FromLong(kernels->has_byte_shuffle);
        }
    Py_DECREF(encoded);
    return PyErr_Format(PyExc_ValueError, "this CPU has no instruction set %R", wanted);
}

PyObject *after_fork(PyObject *, PyObject *) {
    after_fork_in_child();
    reset_xla_after_fork();
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"supported", supported, METH_NOARGS, "Return the instruction sets that this CPU can run, best first."},
    {"select", select, METH_O, "Use the kernels of an instruction set; return whether it has byte shuffles."},
    {"after_fork", after_fork, METH_NOARGS, "Forget the workers of the parent process."},
    {"xla_handler", xla_handler, METH_VARARGS, "Return the address of the handler of XLA's custom call."},
    {"xla_close", xla_close, METH_NOARGS, "Stop the handler from calling Python; return how many threads are in Python."},
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
    {0, nullptr},
};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", "Kernels of Sizewise.", 0, methods, slots, nullptr, nullptr, nullptr};

}  // namespace

const char *sizewise::check_contiguous(PyObject *object, Index x_bytes, Index out_bytes, const Band *bands, Index n_bands) {
    if (PyType_GetSlot(Py_TYPE(object), Py_tp_new) != (void *)call_new) return "an object that is not a Call";
    const Call *self = (const Call *)object;
    if (x_bytes != self->args.x_size * self->x_itemsize || out_bytes != self->args.out_size * self->out_itemsize) return "arrays of other sizes than the call was made for";
    for (Index i = 0; i < n_bands; i++)
        if (bands[i].first < 0 || bands[i].first > bands[i].last || bands[i].last > self->n_rows) return "a band outside the rows of the call";
    return nullptr;
}

int sizewise::run_contiguous(PyObject *call, const void *x, void *out, const Band *bands, Index n_bands, int n_threads, Index n_left) {
    Run run = {(Call *)call, ((Call *)call)->args};
    run.args.x = x, run.args.out = out;
    return run_bands(Run::fill_band, &run, bands, n_bands, n_threads, n_left, nullptr, nullptr);
}

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
