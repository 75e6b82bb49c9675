// The custom call of XLA's programs on the CPU: runs call objects without Python and the GIL. Include Python.h first.
#pragma once
#include "thread_pool.h"

namespace sizewise {

// Methods of the Python module.
PyObject *xla_handler(PyObject *, PyObject *args);
PyObject *xla_close(PyObject *, PyObject *);
PyObject *xla_clear(PyObject *, PyObject *);

void reset_xla_after_fork();  // in the child

// Of module.cpp: return why a call cannot run on contiguous arrays of these sizes in these bands, or null.
const char *check_contiguous(PyObject *call, Index x_bytes, Index out_bytes, const Bands &bands);
// Of module.cpp: fill the contiguous array `out`, without Python and the GIL. Return 0, or an error status.
int run_contiguous(PyObject *call, const void *x, void *out, const Bands &bands);

}  // namespace sizewise
