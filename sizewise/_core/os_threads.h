// Threads of the operating system: mutex, condition variable, clock, thread creation, CPU affinity. POSIX or Win32.
#pragma once
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#endif

namespace sizewise {

constexpr size_t STACK_BYTES = 1 << 20;

// Tell the CPU that this thread polls.
inline void pause_cpu() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");  // `yield` does nothing on most cores
#else
    __asm__ volatile("" ::: "memory");
#endif
}

#if defined(_WIN32)

using Mutex = SRWLOCK;
using Condition = CONDITION_VARIABLE;
constexpr Mutex NEW_MUTEX = SRWLOCK_INIT;
constexpr Condition NEW_CONDITION = CONDITION_VARIABLE_INIT;
inline bool try_lock(Mutex *mutex) { return TryAcquireSRWLockExclusive(mutex) != 0; }
inline void lock(Mutex *mutex) { AcquireSRWLockExclusive(mutex); }
inline void unlock(Mutex *mutex) { ReleaseSRWLockExclusive(mutex); }
inline void wait(Condition *condition, Mutex *mutex) { SleepConditionVariableSRW(condition, mutex, INFINITE, 0); }
inline void signal(Condition *condition) { WakeConditionVariable(condition); }

inline int64_t read_clock_ns() {
    LARGE_INTEGER ticks, per_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&per_second);
    int64_t n = ticks.QuadPart, f = per_second.QuadPart;
    return n / f * 1'000'000'000 + n % f * 1'000'000'000 / f;
}

inline bool has_several_cpus() {
    DWORD_PTR process = 0, system = 0;  // a process of several processor groups has the mask 0
    return !GetProcessAffinityMask(GetCurrentProcess(), &process, &system) || process == 0 || (process & (process - 1));
}

// Start a detached thread that calls run(); return whether the system could.
template <void run()> bool create_thread() {
    struct Start { static DWORD WINAPI call(void *) { run(); return 0; } };
    constexpr DWORD flags = STACK_SIZE_PARAM_IS_A_RESERVATION;
    HANDLE thread = CreateThread(nullptr, STACK_BYTES, Start::call, nullptr, flags, nullptr);
    return thread && CloseHandle(thread);
}

#else

using Mutex = pthread_mutex_t;
using Condition = pthread_cond_t;
constexpr Mutex NEW_MUTEX = PTHREAD_MUTEX_INITIALIZER;
constexpr Condition NEW_CONDITION = PTHREAD_COND_INITIALIZER;
inline bool try_lock(Mutex *mutex) { return pthread_mutex_trylock(mutex) == 0; }
inline void lock(Mutex *mutex) { pthread_mutex_lock(mutex); }
inline void unlock(Mutex *mutex) { pthread_mutex_unlock(mutex); }
inline void wait(Condition *condition, Mutex *mutex) { pthread_cond_wait(condition, mutex); }
inline void signal(Condition *condition) { pthread_cond_signal(condition); }

inline int64_t read_clock_ns() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

inline bool has_several_cpus() {
#if defined(__linux__)
    cpu_set_t cpus;  // the call fails on machines with more than 1024 CPUs
    return sched_getaffinity(0, sizeof cpus, &cpus) != 0 || CPU_COUNT(&cpus) > 1;
#else
    return sysconf(_SC_NPROCESSORS_ONLN) > 1;
#endif
}

// Start a detached thread that calls run(); return whether the system could. The thread blocks all signals except its
// own faults, so that handlers run on the threads of the program.
template <void run()> bool create_thread() {
    struct Start { static void *call(void *) { run(); return nullptr; } };
    constexpr int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (int fault : faults) sigdelset(&blocked, fault);
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);  // inherited by the new thread
    pthread_t thread;
    bool is_created = pthread_create(&thread, &attributes, Start::call, nullptr) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return is_created;
}

#endif

// CPUs that a sleeping thread may run on: used to wake it on another CPU than its waker's.
//
// On KVM guests Linux often wakes a thread on the CPU of its waker although another one is idle. Both threads then
// share that CPU for the whole job: two threads were no faster than one.
#if defined(__linux__)
struct Affinity {
    pthread_t thread = pthread_self();
    cpu_set_t cpus;
    bool is_narrowed = false;
};

// Called by another thread before it wakes this one.
inline void exclude_this_cpu(Affinity *other) {
    int cpu = sched_getcpu();
    if (cpu < 0 || pthread_getaffinity_np(other->thread, sizeof other->cpus, &other->cpus) != 0) return;
    if (!CPU_ISSET((size_t)cpu, &other->cpus) || CPU_COUNT(&other->cpus) < 2) return;
    cpu_set_t cpus = other->cpus;
    CPU_CLR((size_t)cpu, &cpus);
    other->is_narrowed = pthread_setaffinity_np(other->thread, sizeof cpus, &cpus) == 0;
}

// Called by the thread after it wakes up; it stays on the CPU it is on.
inline void restore_affinity(Affinity *own) {
    if (own->is_narrowed) sched_setaffinity(0, sizeof own->cpus, &own->cpus);
    own->is_narrowed = false;
}
#else
struct Affinity {};
inline void exclude_this_cpu(Affinity *) {}
inline void restore_affinity(Affinity *) {}
#endif

}  // namespace sizewise
