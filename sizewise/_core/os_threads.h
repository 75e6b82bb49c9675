// Threads beyond POSIX: signal masks, CPU affinity, polling. On Windows they are those of MinGW-w64, linked
// statically.
#pragma once
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

namespace sizewise {

template <class T> T load(const T *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
template <class T> void store(T *p, T value) { __atomic_store_n(p, value, __ATOMIC_RELEASE); }

// Tell the CPU that this thread polls.
inline void pause_cpu() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");  // `yield` does nothing on most cores
#else
    __asm__ volatile("" ::: "memory");
#endif
}

inline int64_t read_clock_ns() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

inline bool has_several_cpus() {
#if defined(__linux__)
    cpu_set_t cpus;  // the call fails on machines with more than 1024 CPUs
    return sched_getaffinity(0, sizeof cpus, &cpus) != 0 || CPU_COUNT(&cpus) > 1;
#elif defined(_WIN32)
    return pthread_num_processors_np() > 1;
#else
    return sysconf(_SC_NPROCESSORS_ONLN) > 1;
#endif
}

// Start a detached thread; return whether the system could. It blocks all signals except its own faults, so that
// handlers run on the threads of the program.
inline bool create_thread(void *run(void *)) {
    constexpr size_t STACK_BYTES = 1 << 20;
    pthread_t thread;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
#if defined(_WIN32)
    bool is_created = pthread_create(&thread, &attributes, run, nullptr) == 0;
#else
    constexpr int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (int fault : faults) sigdelset(&blocked, fault);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);  // inherited by the new thread
    bool is_created = pthread_create(&thread, &attributes, run, nullptr) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
#endif
    pthread_attr_destroy(&attributes);
    return is_created;
}

// CPUs that a sleeping thread may run on: used to wake it on another CPU than its waker's.
//
// On KVM guests Linux often wakes a thread on the CPU of its waker although another one is idle. Both threads then
// share that CPU for the whole job: two threads were no faster than one.
#if defined(__linux__)
struct Affinity {
    pthread_t thread = pthread_self();
    cpu_set_t cpus;
    bool is_narrowed = false;

    // Called by another thread before it wakes this one.
    void exclude_callers_cpu() {
        int cpu = sched_getcpu();
        if (cpu < 0 || pthread_getaffinity_np(thread, sizeof cpus, &cpus) != 0) return;
        if (!CPU_ISSET((size_t)cpu, &cpus) || CPU_COUNT(&cpus) < 2) return;
        cpu_set_t others = cpus;
        CPU_CLR((size_t)cpu, &others);
        is_narrowed = pthread_setaffinity_np(thread, sizeof others, &others) == 0;
    }
    // Called by the thread after it wakes up; it stays on the CPU it is on.
    void restore() {
        if (is_narrowed) sched_setaffinity(0, sizeof cpus, &cpus);
        is_narrowed = false;
    }
};
#else
struct Affinity {
    void exclude_callers_cpu() {}
    void restore() {}
};
#endif

}  // namespace sizewise
