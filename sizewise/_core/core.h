// Shared by the kernels and the module: arguments of a kernel, and the table of kernels of one instruction set.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifndef SIZEWISE_ISA
#define SIZEWISE_ISA generic  // the instruction set that kernels.cpp is compiled for: the namespace of its functions
#endif

namespace sizewise {

using Index = int64_t;

// Element types of arrays, sums and scratch rows. float16 and bfloat16 are stored only: their sums are float32.
enum Type : int { NONE, F32, F64, F16, BF16, U8, U16, I16, I32, BITS8, BITS16, BITS32, BITS64 };

// Row h of image n begins at element base + n * image + h * row. The field order is that of `kernels/packing.py`.
struct Layout {
    Index x_base, x_image, x_row;
    Index out_base, out_image, out_row;
    Index rows_per_image;  // of out
    Index row_length;      // elements of a row, for kernels without a horizontal pass
    Index vertical_first;  // pass order of the fused 2x2 kernel
    Index nontemporal;     // whether results bypass the caches
};

struct Table {
    const void *data;
    Index size;  // in elements
};

enum { MAX_TABLES = 4 };

// Fill rows first .. last - 1 of `out` (counted over all images) from `x`. Which tables a kernel reads is said beside
// it; they were checked against each other and against the buffers when the call object was made.
struct KernelArgs {
    const void *x;
    Index x_size;  // in elements
    void *out;
    Index out_size;
    const Layout *layout;
    Table tables[MAX_TABLES];
    double parameter;  // verified float32: the largest safe distance from an integer; fixed point: the gain
    Index first, last;
};

enum Status { DONE = 0, NO_MEMORY = -1 };

using Kernel = Status(const KernelArgs &);

enum Kind : int {
    VERTICAL_ONLY,
    HORIZONTAL_ONLY,
    VERTICAL_FIRST,
    HORIZONTAL_FIRST,
    FUSED_2X2,
    NEAREST,
    VERTICAL_FIRST_VERIFIED,
    HORIZONTAL_FIRST_VERIFIED,
    FIXED_POINT,
    FIXED_POINT_SHUFFLED,
    FIXED_POINT_2X2,
    FIXED_POINT_PAIRS,
    FIXED_POINT_PAIRS_SHUFFLED,
    N_KINDS
};

struct Entry {
    Kind kind;
    Type x, out, sums, scratch;  // `scratch`: the rows kept between two passes
    Kernel *kernel;
};

// All kernels of one instruction set.
struct KernelTable {
    const char *isa;
    const Entry *entries;
    int n_entries;
    bool has_byte_shuffle;  // vpermb: AVX-512 VBMI
};

}  // namespace sizewise
