// libFuzzer target: kernel calls with random kinds, types, tables, layouts and sizes.
//
// A call that passes the checks of the core must run without a complaint from AddressSanitizer and UBSan. Inputs are
// records of `record_calls.py` without the arrays. The field of the checksum selects the instruction set, and whether
// another kernel is run than the one that was recorded.
#include "recorded_call.h"

namespace sizewise::FIRST_ISA { extern const KernelTable kernels; }
namespace sizewise::SECOND_ISA { extern const KernelTable kernels; }
using namespace sizewise;

constexpr double MAX_WORK = 3e7;
enum { MAX_TRIES = 3 };

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    RecordedCall call;
    if (size < sizeof(CallHeader)) return -1;
    memcpy(&call.header, data, sizeof call.header);
    uint64_t choice = (uint64_t)call.header.checksum;
    const KernelTable &kernels = choice & 1 ? FIRST_ISA::kernels : SECOND_ISA::kernels;
    if (!call.find((const char *)data, (Index)size, kernels)) return -1;
    if (choice >> 1 & 1) call.entry = &kernels.entries[(choice >> 2) % (uint64_t)kernels.n_entries];
    if (!call.entry || !call.read((const char *)data, (Index)size)) return -1;
    if (call.check() || !call.is_runnable() || call.work() > MAX_WORK) return 0;
    call.run(call.header.layout.nontemporal != 0);
    return 0;
}

static uint64_t next_random(uint64_t &state) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 0x2545F4914F6CDD1D;
}

// Change one integer of a record: by a little, to a limit, or to the value of another one.
static void mutate_integer(uint8_t *data, Index n_integers, uint64_t &state) {
    constexpr Index LIMITS[] = {0, 1, 2, 3, 4, 7, 8, 16, 64, -1, INT32_MAX, (Index)1 << 40, INT64_MAX, INT64_MIN};
    constexpr Index N_HEADER = sizeof(CallHeader) / sizeof(Index);
    Index n_likely = next_random(state) % 2 && n_integers > N_HEADER ? N_HEADER + 24 : n_integers;
    n_likely = n_likely < n_integers ? n_likely : n_integers;
    Index at = (Index)(next_random(state) % (uint64_t)n_likely), from = (Index)(next_random(state) % (uint64_t)n_integers);
    int64_t value, other;
    memcpy(&value, data + at * 8, 8);
    memcpy(&other, data + from * 8, 8);
    switch (next_random(state) % 4) {
    case 0: value = (int64_t)((uint64_t)value + next_random(state) % 17 - 8); break;
    case 1: value = LIMITS[next_random(state) % (sizeof LIMITS / sizeof *LIMITS)]; break;
    case 2: value = other; break;
    default: value = (int64_t)(next_random(state) % 256); break;
    }
    memcpy(data + at * 8, &value, 8);
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
    if (size < sizeof(CallHeader) || next_random(state) % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
    for (uint64_t n = 1 + next_random(state) % MAX_TRIES; n > 0; n--) mutate_integer(data, (Index)(size / 8), state);
    return size;
}
