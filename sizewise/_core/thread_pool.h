// Thread pool: run the bands of rows of one call on several threads. POSIX threads, no C++ runtime.
#pragma once
#include "core.h"

namespace sizewise {

struct Band { Index first, last; };

// The caller's thread runs the first band; then each thread takes the next one when it is free, except the last
// `n_left_to_caller`, which only the caller's thread runs.
struct Bands {
    const Band *all;
    Index n;
    int n_threads;  // including the caller's
    Index n_left_to_caller;
};

// Fill rows first .. last - 1. Return 0, or an error status.
using BandFunction = int(void *context, Index first, Index last);

// Call fn(context, first, last) for every band.
//
// `between_bands`, if not null, is called on the caller's thread after each of its bands; a non-zero result stops the
// job. Return 0, the first error status of a band, or the result of `between_bands`, which takes precedence. After an
// error no further band begins. All bands that began have ended on return. Bands must be repeatable: if `between_bands`
// forks, the child runs them again.
//
// Calls may be concurrent and nested: each gets the workers that are idle, or runs on the caller's thread alone.
int run_bands(BandFunction *fn, void *context, const Bands &bands, int (*between_bands)(void *context) = nullptr);

// Forget the workers, jobs and locks of the parent process. Call it in the child after fork(), before run_bands.
void after_fork_in_child();

}  // namespace sizewise
