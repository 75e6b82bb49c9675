// Thread pool. Jobs live on the stack of their caller, in a list that a mutex protects; a worker enters a job, takes
// bands from its atomic counter, and leaves. Idle workers spin for a short time, then sleep.
//
// A sleeping worker begins 5 to 100 us after the call, as long as a band of a small image takes; a spinning one within
// 1 us, and the caller saves the system call. Workers spin only while jobs follow each other closely.
#include "thread_pool.h"

#include "os_threads.h"

namespace sizewise {
namespace {

constexpr int MAX_WORKERS = 1023;
constexpr int MAX_WAKEUPS = 4;           // by one thread: workers that wake up wake others, as a tree
constexpr int64_t SPIN_NS = 60'000;      // before a thread sleeps: about the time of a wake-up
constexpr int64_t MAX_GAP_NS = 200'000;  // idle time of a worker up to which two jobs count as close
constexpr int MAX_SPIN_CREDIT = 4;       // fruitless spins, after which a worker sleeps at once until jobs are close
constexpr int PAUSES_PER_CHECK = 16;     // of the clock
constexpr int MAX_TRIES = 64;            // to lock the mutex, which is held for less than 1 us, before sleeping on it

// State --------------------------------------------------------------------------------------------------------------

struct Job {
    BandFunction *fn;
    void *context;
    const Band *bands;
    Index n_shared;               // the bands that any thread may run
    int n_wanted;                 // workers that may still enter
    alignas(64) Index next_band;  // atomic
    int status;                   // atomic
    int n_inside;                 // workers that have entered and not left; written under the mutex, atomic
    bool is_caller_asleep = false;
    pthread_cond_t last_left = PTHREAD_COND_INITIALIZER;
    Job *next = nullptr;
};

struct Worker {
    pthread_cond_t wakeup = PTHREAD_COND_INITIALIZER;
    bool is_called = false;  // wake up: under the mutex
    Affinity affinity;
    Worker *next = nullptr;
};

struct Pool {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // protects all below
    Job *jobs = nullptr;                                // oldest first
    Worker *sleepers = nullptr;                         // latest first: its caches are warm
    int n_workers = 0;
    int n_idle = 0;                // workers in no job that are awake or have been called
    unsigned n_forks = 0;          // written by after_fork_in_child only
    alignas(64) int n_wanted = 0;  // sum over all jobs; atomic: idle workers poll it
    bool can_spin = false;         // atomic
};

Pool pool;

bool try_lock() { return pthread_mutex_trylock(&pool.mutex) == 0; }
void unlock() { pthread_mutex_unlock(&pool.mutex); }
void lock() {
    for (int i = 0; i < MAX_TRIES; i++) {
        if (try_lock()) return;
        pause_cpu();
    }
    pthread_mutex_lock(&pool.mutex);
}

// Poll until is_true() or the deadline; return whether it was true.
template <class Predicate> bool spin_until(int64_t deadline, Predicate is_true) {
    do {
        for (int i = 0; i < PAUSES_PER_CHECK; i++) {
            if (is_true()) return true;
            pause_cpu();
        }
    } while (read_clock_ns() < deadline);
    return false;
}

// Workers ------------------------------------------------------------------------------------------------------------

// Take the next band before `end`; return its index, or -1 if there is none or the job has stopped.
Index take_band(Job *job, Index end) {
    Index band = load(&job->next_band);
    do {
        if (band >= end || load(&job->status) != 0) return -1;
    } while (!__atomic_compare_exchange_n(&job->next_band, &band, band + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return band;
}

void run_band(Job *job, Index band) {
    int status = job->fn(job->context, job->bands[band].first, job->bands[band].last), none = 0;
    if (status != 0)
        __atomic_compare_exchange_n(&job->status, &none, status, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

// Change how many workers a job wants. The mutex is locked, here and in the three functions below.
void set_wanted(Job *job, int n_wanted) {
    store(&pool.n_wanted, pool.n_wanted + n_wanted - job->n_wanted);
    job->n_wanted = n_wanted;
}

// Enter the oldest job that wants a worker; return null if there is none.
Job *enter_job() {
    for (Job *job = pool.jobs; job; job = job->next) {
        if (job->n_wanted == 0) continue;
        if (load(&job->next_band) < job->n_shared && load(&job->status) == 0) {
            set_wanted(job, job->n_wanted - 1);
            job->n_inside++;
            return job;
        }
        set_wanted(job, 0);
    }
    return nullptr;
}

void leave_job(Job *job) {
    if (job->n_inside == 1 && job->is_caller_asleep) pthread_cond_signal(&job->last_left);
    store(&job->n_inside, job->n_inside - 1);  // a caller that spins may return now: `job` is gone
}

// Unlock the mutex, and wake up sleeping workers for the places that idle ones leave free.
void unlock_and_wake() {
    Worker *called[MAX_WAKEUPS];
    int n = 0;
    for (; n < MAX_WAKEUPS && pool.sleepers && pool.n_wanted > pool.n_idle; n++, pool.n_idle++) {
        called[n] = pool.sleepers;
        pool.sleepers = called[n]->next;
    }
    unlock();
    if (n == 0) return;
    for (int i = 0; i < n; i++) called[i]->affinity.exclude_callers_cpu();  // system calls, so not under the mutex
    lock();
    for (int i = 0; i < n; i++) called[i]->is_called = true;
    unlock();
    for (int i = 0; i < n; i++) pthread_cond_signal(&called[i]->wakeup);
}

void *run_worker(void *) {
    Worker self;
    int spin_credit = MAX_SPIN_CREDIT;
    int64_t idle_since = read_clock_ns();
    bool is_spinning = false;
    lock();
    for (;;) {
        if (Job *job = enter_job()) {
            pool.n_idle--;
            unlock_and_wake();
            if (read_clock_ns() - idle_since < MAX_GAP_NS) spin_credit = MAX_SPIN_CREDIT;
            for (Index band; (band = take_band(job, job->n_shared)) >= 0;) run_band(job, band);
            idle_since = read_clock_ns();
            is_spinning = spin_credit > 0 && load(&pool.can_spin);
            lock();
            leave_job(job);
            pool.n_idle++;
        } else if (is_spinning) {
            unlock();
            is_spinning = spin_until(idle_since + SPIN_NS, [] { return load(&pool.n_wanted) > 0 && try_lock(); });
            if (is_spinning) continue;
            spin_credit--;
            lock();
        } else {
            pool.n_idle--;
            self.is_called = false;
            self.next = pool.sleepers;
            pool.sleepers = &self;
            while (!self.is_called) pthread_cond_wait(&self.wakeup, &pool.mutex);
            unlock();
            self.affinity.restore();
            lock();
        }
    }
}

// Callers ------------------------------------------------------------------------------------------------------------

// Add the job to the list, wake up sleeping workers, and create those that are missing of `n_wanted`.
void open_job(Job *job, int n_wanted) {
    lock();
    Job **end = &pool.jobs;
    while (*end) end = &(*end)->next;
    *end = job;
    set_wanted(job, n_wanted);
    int n_new = n_wanted > pool.n_workers ? n_wanted - pool.n_workers : 0;
    pool.n_workers += n_new;
    pool.n_idle += n_new;
    unlock_and_wake();
    if (n_new == 0) return;
    store(&pool.can_spin, has_several_cpus());
    while (n_new > 0 && create_thread(run_worker)) n_new--;
    if (n_new == 0) return;
    lock();  // the system has no more threads
    pool.n_workers -= n_new;
    pool.n_idle -= n_new;
    unlock();
}

// Remove the job from the list and wait until no worker is inside.
void close_job(Job *job) {
    lock();
    set_wanted(job, 0);
    Job **link = &pool.jobs;
    while (*link != job) link = &(*link)->next;
    *link = job->next;
    bool is_done = job->n_inside == 0;
    unlock();
    if (is_done) return;
    int64_t deadline = load(&pool.can_spin) ? read_clock_ns() + SPIN_NS : 0;
    if (spin_until(deadline, [job] { return load(&job->n_inside) == 0; })) return;
    lock();
    job->is_caller_asleep = true;
    while (job->n_inside > 0) pthread_cond_wait(&job->last_left, &pool.mutex);
    unlock();
}

}  // namespace

int run_bands(BandFunction *fn, void *context, const Bands &bands, int (*between_bands)(void *)) {
    if (bands.n <= 0) return 0;
    Index n_shared = bands.n - (bands.n_left_to_caller > 0 ? bands.n_left_to_caller : 0);
    Index n_helpers = n_shared - 1;  // the first band is the caller's
    if (n_helpers > bands.n_threads - 1) n_helpers = bands.n_threads - 1;
    if (n_helpers > MAX_WORKERS) n_helpers = MAX_WORKERS;
    Job job{fn, context, bands.all, n_shared, 0, 1, 0, 0};
    unsigned n_forks = pool.n_forks;
    if (n_helpers > 0) open_job(&job, (int)n_helpers);
    for (Index band = 0; band >= 0; band = take_band(&job, bands.n)) {
        run_band(&job, band);
        int stop = between_bands ? between_bands(context) : 0;
        if (stop != 0) store(&job.status, stop);
    }
    // If between_bands forked, and this is the child, workers of its parent took bands.
    if (n_forks != pool.n_forks) return job.status ? job.status : run_bands(fn, context, bands, between_bands);
    if (n_helpers > 0) close_job(&job);
    return load(&job.status);
}

void after_fork_in_child() {
    unsigned n_forks = pool.n_forks + 1;
    pool = Pool{};
    pool.n_forks = n_forks;
}

}  // namespace sizewise
