// Handler of XLA's custom call: XLA passes the buffers of x and out, and one attribute, a text.
//
// A registry maps text, dtypes and shapes to a call object, which runs on XLA's buffers without Python and the GIL. The
// first call of each kind goes through Python, which fills the result and returns the call object to register. So does
// every call for which Python returns none, such as a resize in several passes.
#ifndef Py_GIL_DISABLED
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <string.h>

#include "xla.h"

namespace sizewise {
namespace {

// Structures of XLA's C interface (xla/ffi/api/c_api.h in jaxlib), versions 0.1 to 0.3. `size` excludes padding.
// clang-format off
struct Extension { size_t size; int type; Extension *next; };
struct Version { size_t size; Extension *extensions; int major, minor; };
struct Metadata { size_t size; Version version; uint32_t traits; };
struct MetadataExtension { size_t size; int type; Extension *next; Metadata *metadata; };
struct Error { size_t size; Extension *extensions; const char *message; int code; };
struct Api { size_t size; Extension *extensions; Version version; void *internal, *(*create_error)(Error *); };
struct Buffer { size_t size; Extension *extensions; int dtype; void *data; int64_t rank, *dims; };
struct Buffers { size_t size; Extension *extensions; int64_t count; int *types; Buffer **values; };
struct Text { const char *data; size_t size; };
struct Attributes { size_t size; Extension *extensions; int64_t count; int *types; Text **names, **values; };
struct Frame {
    size_t size; Extension *extensions; Api *api; void *context; int stage;
    Buffers arguments, results; Attributes attributes;
};
// clang-format on
enum { METADATA = 1, EXECUTE = 3, BUFFER = 1, STRING = 4, RESOURCE_EXHAUSTED = 8, ABORTED = 10, INTERNAL = 13 };

// Bytes of an element of XLA's types: bool, signed and unsigned integers, float16, float32, float64; last bfloat16.
constexpr int ITEM_SIZES[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 0, 0, 0, 2};
Index item_size(const Buffer &buffer) { return buffer.dtype >= 0 && buffer.dtype <= 16 ? ITEM_SIZES[buffer.dtype] : 0; }
Index count_bytes(const Buffer &buffer) {
    Index n = item_size(buffer);
    for (Index i = 0; i < buffer.rank; i++) n *= buffer.dims[i];
    return n;
}

#define SIZE_UP_TO(type, last) (offsetof(type, last) + sizeof(((type *)nullptr)->last))

void *fail(const Frame *frame, int code, const char *message) {
    Error error = {SIZE_UP_TO(Error, code), nullptr, message, code};
    return frame->api->create_error(&error);
}

// Registry ------------------------------------------------------------------------------------------------------------

constexpr int MAX_SLOTS = 1024, N_PROBES = 16;  // a key is in one of the 16 slots from its hash on
constexpr size_t MAX_KEY_BYTES = 4096;          // calls with longer keys go through Python

struct Key {
    uint64_t words[MAX_KEY_BYTES / 8], hash = 0;
    size_t size = 0;  // in bytes

    void add(const void *bytes, size_t n) { memcpy((char *)words + size, bytes, n), size += n; }
    bool fill(const Buffer &x, const Buffer &out, const Text &text) {
        Index header[] = {x.dtype, x.rank, out.dtype, out.rank, (Index)text.size};
        if (x.rank > 64 || out.rank > 64 || text.size + sizeof header + 2 * 64 * 8 + 8 > MAX_KEY_BYTES) return false;
        add(header, sizeof header), add(x.dims, (size_t)x.rank * 8), add(out.dims, (size_t)out.rank * 8);
        add(text.data, text.size), add("\0\0\0\0\0\0\0", -size % 8);
        for (size_t i = 0; i < size / 8; i++) hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15, hash ^= hash >> 32;
        return true;
    }
};

struct Slot {
    uint64_t hash;
    PyObject *owner, *call;  // `owner` holds a reference to all that the slot points to; null if the slot is free
    const char *key;
    size_t key_size;
    Bands bands;
    int n_users;  // atomic: threads that run the call now

    bool holds(const Key &other) const {
        return owner && hash == other.hash && key_size == other.size && memcmp(key, other.words, key_size) == 0;
    }
};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // protects the slots; who has locked it does not wait for the GIL
Slot slots[MAX_SLOTS + N_PROBES];
int version_major, version_minor;
PyObject *fallback;  // fallback(text, x, out): fill out; return None or (call, bands, n_threads, n_left) to register
int n_in_python;     // atomic: threads in Python, or about to be
bool is_closed;      // atomic

template <class T> T load(const T *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
void add(int *p, int n) { __atomic_add_fetch(p, n, __ATOMIC_SEQ_CST); }

// Return the slot of a key, else null and in `other` one for it: free, or of a call that no thread runs, or null. The
// mutex is locked.
Slot *find_slot(const Key &key, Slot *&other) {
    other = nullptr;
    for (Slot *slot = &slots[key.hash % MAX_SLOTS], *end = slot + N_PROBES; slot < end; slot++) {
        if (slot->holds(key)) return slot;
        if (load(&slot->n_users) == 0 && (!other || (other->owner && !slot->owner))) other = slot;
    }
    return nullptr;
}

// Register the result of `fallback`. Return false, and set an exception, if it is invalid.
bool add_call(const Key &key, PyObject *result, Index x_bytes, Index out_bytes) {
    PyObject *call, *edges;
    int n_threads;
    long long n_left;
    if (!PyArg_ParseTuple(result, "OO!iL", &call, &PyBytes_Type, &edges, &n_threads, &n_left)) return false;
    Index n_bands = PyBytes_Size(edges) / (Index)sizeof(Band);
    Bands bands = {(const Band *)PyBytes_AsString(edges), n_bands, n_threads, n_left};
    const char *wrong = check_contiguous(call, x_bytes, out_bytes, bands);
    if (wrong) return PyErr_Format(PyExc_ValueError, "cannot register %s", wrong);
    PyObject *owner = Py_BuildValue("Oy#", result, (char *)key.words, (Py_ssize_t)key.size), *dropped = owner;
    if (!owner) return false;
    const char *data = PyBytes_AsString(PyTuple_GetItem(owner, 1));
    pthread_mutex_lock(&mutex);
    Slot *other;
    if (!find_slot(key, other) && other) {
        dropped = other->owner;
        *other = {key.hash, owner, call, data, key.size, bands, 0};
    }
    pthread_mutex_unlock(&mutex);
    Py_XDECREF(dropped);
    return true;
}

// Calls ---------------------------------------------------------------------------------------------------------------

PyObject *describe(const Buffer &buffer, int flags) {
    static char nothing;
    PyObject *memory =
        PyMemoryView_FromMemory(buffer.data ? (char *)buffer.data : &nothing, count_bytes(buffer), flags);
    return Py_BuildValue("Niy#", memory, buffer.dtype, (char *)buffer.dims, (Py_ssize_t)buffer.rank * 8);
}

void *fail_with_exception(const Frame *frame) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *name = PyObject_GetAttrString(type, "__name__");
    PyObject *text = name ? PyUnicode_FromFormat("sizewise: %U: %S", name, value) : nullptr;
    const char *message = text ? PyUnicode_AsUTF8AndSize(text, nullptr) : nullptr;
    PyErr_Clear();
    void *error = fail(frame, INTERNAL, message ? message : "sizewise: an exception that has no message");
    Py_XDECREF(text), Py_XDECREF(name), Py_XDECREF(traceback), Py_XDECREF(value), Py_XDECREF(type);
    return error;
}

void *run_in_python(const Frame *frame, const Key *key, const Buffer &x, const Buffer &out, const Text &text) {
    void *error = nullptr;
    add(&n_in_python, 1);
    if (load(&is_closed)) {
        error = fail(frame, ABORTED, "sizewise: Python has ended");
    } else {
        PyGILState_STATE state = PyGILState_Ensure();
        PyObject *source = describe(x, PyBUF_READ), *target = describe(out, PyBUF_WRITE);
        PyObject *result = PyObject_CallFunction(fallback, "y#NN", text.data, (Py_ssize_t)text.size, source, target);
        bool is_done =
            result && (!key || result == Py_None || add_call(*key, result, count_bytes(x), count_bytes(out)));
        if (!is_done) error = fail_with_exception(frame);
        Py_XDECREF(result);
        PyGILState_Release(state);
    }
    add(&n_in_python, -1);
    return error;
}

void *resize(const Frame *frame, const Buffer &x, const Buffer &out, const Text &text) {
    if (!item_size(x) || !item_size(out))
        return fail(frame, INTERNAL, "sizewise: XLA passes arrays of a dtype that cannot be resized");
    Key key;
    if ((intptr_t)x.data % item_size(x) || (intptr_t)out.data % item_size(out) || !key.fill(x, out, text))
        return run_in_python(frame, nullptr, x, out, text);
    pthread_mutex_lock(&mutex);
    Slot *other, *slot = find_slot(key, other);
    if (slot) add(&slot->n_users, 1);
    pthread_mutex_unlock(&mutex);
    if (!slot) return run_in_python(frame, &key, x, out, text);
    int status = run_contiguous(slot->call, x.data, out.data, slot->bands);
    add(&slot->n_users, -1);
    return status == 0 ? nullptr : fail(frame, RESOURCE_EXHAUSTED, "sizewise: out of memory");
}

#define OTHER_SIZE(type) "sizewise: XLA's structure " #type " has another size here"
#define CHECK_SIZE(object, type, last)                                                                                 \
    if ((object).size != SIZE_UP_TO(type, last)) return fail(frame, INTERNAL, OTHER_SIZE(type))

void *handle(Frame *frame) {
    CHECK_SIZE(*frame, Frame, attributes);
    if (frame->extensions && frame->extensions->type == METADATA) {
        MetadataExtension *extension = (MetadataExtension *)frame->extensions;
        CHECK_SIZE(*extension, MetadataExtension, metadata);
        CHECK_SIZE(*extension->metadata, Metadata, traits);
        extension->metadata->version.major = version_major, extension->metadata->version.minor = version_minor;
        extension->metadata->traits = 0;
        return nullptr;
    }
    if (frame->stage != EXECUTE) return nullptr;
    const Buffers &x = frame->arguments, &out = frame->results;
    const Attributes &text = frame->attributes;
    CHECK_SIZE(x, Buffers, values);
    CHECK_SIZE(out, Buffers, values);
    CHECK_SIZE(text, Attributes, values);
    bool is_one_each = x.count == 1 && out.count == 1 && text.count == 1;
    if (!is_one_each || x.types[0] != BUFFER || out.types[0] != BUFFER || text.types[0] != STRING)
        return fail(frame, INTERNAL, "sizewise: XLA passes other arguments than one array, one result and one text");
    CHECK_SIZE(*x.values[0], Buffer, dims);
    CHECK_SIZE(*out.values[0], Buffer, dims);
    return resize(frame, *x.values[0], *out.values[0], *text.values[0]);
}

}  // namespace

// xla_handler(major, minor, fallback): the address of the handler, for this version of XLA's interface.
PyObject *xla_handler(PyObject *, PyObject *args) {
    PyObject *given, *replaced = fallback;
    if (!PyArg_ParseTuple(args, "iiO", &version_major, &version_minor, &given)) return nullptr;
    Py_INCREF(given);
    fallback = given;
    Py_XDECREF(replaced);
    return PyLong_FromVoidPtr((void *)handle);
}

// xla_close(): call Python no more. Return how many threads are still in it; they need the GIL to leave.
PyObject *xla_close(PyObject *, PyObject *) {
    __atomic_store_n(&is_closed, true, __ATOMIC_SEQ_CST);
    return PyLong_FromLong(load(&n_in_python));
}

// xla_clear(): drop all registered calls that no thread runs. Return how many.
PyObject *xla_clear(PyObject *, PyObject *) {
    long n = 0;
    for (Slot &slot : slots) {
        if (!slot.owner) continue;
        pthread_mutex_lock(&mutex);
        PyObject *dropped = load(&slot.n_users) == 0 ? slot.owner : nullptr;
        if (dropped) slot.owner = nullptr, n++;
        pthread_mutex_unlock(&mutex);
        Py_XDECREF(dropped);
    }
    return PyLong_FromLong(n);
}

// The slots are intact: the parent changed them with the GIL, which the thread that forked held.
void reset_xla_after_fork() {
    mutex = PTHREAD_MUTEX_INITIALIZER;
    n_in_python = 0;
}

}  // namespace sizewise
