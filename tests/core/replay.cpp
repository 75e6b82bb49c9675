// Run recorded kernel calls with the kernels of one instruction set: `replay FILE`. A second argument halves every input
// after the checks: a control that AddressSanitizer must fail.
//
// Prints a line for each call: the CRC-32 of the result in hexadecimal, `-` if this instruction set has no such kernel,
// or what went wrong. Then a line `unused ...` for each kernel that no call ran.
#include "recorded_call.h"

namespace sizewise::SIZEWISE_ISA { extern const KernelTable kernels; }
using namespace sizewise;

// Give every NaN of a result the same bits: their payloads are not part of the result.
template <class T> void unify_nans(const Bytes &out, T magnitude, T infinity, T nan) {
    for (Index i = 0; i < out.n; i += (Index)sizeof(T)) {
        T bits;
        memcpy(&bits, out.data + i, sizeof bits);
        if ((bits & magnitude) > infinity) memcpy(out.data + i, &nan, sizeof nan);
    }
}

static unsigned checksum(const Bytes &out, const char *type) {
    auto is = [type](const char *name) { return strncmp(type, name, strlen(name)) == 0; };
    if (is("float32")) unify_nans<uint32_t>(out, 0x7FFFFFFF, 0x7F800000, 0x7FC00000);
    if (is("float64")) unify_nans<uint64_t>(out, INT64_MAX, 0x7FFull << 52, 0x7FF8ull << 48);
    if (is("float16")) unify_nans<uint16_t>(out, 0x7FFF, 0x7C00, 0x7E00);
    if (is("bfloat16")) unify_nans<uint16_t>(out, 0x7FFF, 0x7F80, 0x7FC0);
    static unsigned table[256];
    for (unsigned i = 0; i < 256 && !table[255]; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xEDB88320u : 0u);
    }
    unsigned crc = ~0u;
    for (Index i = 0; i < out.n; i++) crc = crc >> 8 ^ table[(crc ^ (unsigned char)out.data[i]) & 0xFF];
    return ~crc;
}

static void replay(RecordedCall &call) {
    const char *x_type = strchr(call.entry->name, ' ') + 1, *out_type = strchr(x_type, ' ') + 1;
    unsigned results[2];
    for (int nontemporal = 0; nontemporal < 2; nontemporal++) {
        if (call.run(nontemporal != 0) != DONE) {
            printf("out of memory\n");
            return;
        }
        results[nontemporal] = checksum(call.out, out_type);
    }
    if (results[0] == results[1]) printf("%08x\n", results[0]);
    else printf("%08x, but %08x with non-temporal stores\n", results[0], results[1]);
}

int main(int argc, char **argv) {
    const KernelTable &kernels = SIZEWISE_ISA::kernels;
    static bool used[1024];
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : nullptr;
    if (!file) return fprintf(stderr, "usage: replay FILE\n"), 2;
    for (Index n; fread(&n, sizeof n, 1, file) == 1;) {
        Bytes record(n);
        RecordedCall call;
        bool is_read = fread(record.data, 1, (size_t)n, file) == (size_t)n && call.find(record.data, n, kernels);
        if (is_read && !call.entry) printf("-\n");
        else if (!is_read || !call.read(record.data, n)) printf("a broken record\n");
        else if (const char *wrong = call.check()) printf("refused: %s\n", wrong);
        else {
            if (argc > 2) call.x = Bytes(call.x.n / 2);
            used[call.entry - kernels.entries] = true;
            replay(call);
        }
    }
    for (int i = 0; i < kernels.n_entries; i++)
        if (!used[i]) printf("unused %s\n", kernels.entries[i].name);
    fclose(file);
    return 0;
}
