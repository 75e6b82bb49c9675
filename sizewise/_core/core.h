// Shared by the kernels and the module: arguments of a kernel, and the table of kernels of one instruction set.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef SIZEWISE_ISA
#define SIZEWISE_ISA generic  // the instruction set that kernels.cpp is compiled for: the namespace of its functions
#endif

namespace sizewise {

using Index = int64_t;

// Row h of image n begins at element base + n * image + h * row. The field order is that of `engine/layout.py`.
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

// Fill rows first .. last - 1 of `out` (counted over all images) from `x`. The tables of a kernel are documented beside
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

// Selects the checks of the tables of a kernel (`check.h`).
// clang-format off
enum Kind : int {
    VERTICAL_ONLY, HORIZONTAL_ONLY, TWO_PASSES, FUSED_2X2, NEAREST, VERIFIED,
    FIXED_POINT, FIXED_POINT_SHUFFLED, FIXED_POINT_2X2, FIXED_POINT_PAIRS, FIXED_POINT_PAIRS_SHUFFLED,
};
// clang-format on

struct Entry {
    Kind kind;
    const char *name;  // with the types of x, result and sums, and of the rows kept between two passes
    Index x_bytes, out_bytes, sum_bytes;  // of an element; 0 for kernels without sums
    Kernel *kernel;

    // Bytes of an element of table i; 0 for any.
    Index table_bytes(int i) const {
        if (kind >= FIXED_POINT) return i == 0 ? 8 : i == 1 ? 2 : i == 2 ? sum_bytes : 4;
        return i != 1 ? 8 : kind == VERIFIED ? 4 : sum_bytes;
    }
};

// All kernels of one instruction set.
struct KernelTable {
    const Entry *entries;
    int n_entries;

    // The kernel of this name, or null.
    const Entry *find(const char *name) const {
        for (int i = 0; i < n_entries; i++)
            if (strcmp(entries[i].name, name) == 0) return &entries[i];
        return nullptr;
    }
};

}  // namespace sizewise
