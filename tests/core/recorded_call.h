// A recorded kernel call, as `record_calls.py` writes it: parse, check as the module does, run.
//
// Input, result and tables are allocated one by one with their exact sizes, so that AddressSanitizer sees every access
// beyond one of them.
#pragma once
#include <stdio.h>

#include "../../sizewise/_core/check.h"

namespace sizewise {

constexpr Index MAX_BYTES = (Index)1 << 24;  // of an input or a result: larger calls are checked, and not run
constexpr unsigned char FILL = 0xA5;         // of results before a call

struct CallHeader {
    char name[64];
    Index n_rows, x_size, out_size, table_sizes[MAX_TABLES], n_bands, checksum;
    double parameter;
    Layout layout;
};

// An array of exactly n bytes, allocated on its own.
struct Bytes {
    char *data = nullptr;
    Index n = 0;

    Bytes() = default;
    explicit Bytes(Index n_bytes) : data((char *)malloc((size_t)n_bytes)), n(n_bytes) {}
    Bytes(const Bytes &) = delete;
    Bytes &operator=(Bytes &&other) {
        char *old = data;
        data = other.data, n = other.n, other.data = old;
        return *this;
    }
    ~Bytes() { free(data); }
};

class RecordedCall {
    Bytes tables[MAX_TABLES], bands;
    SIZEWISE_ISA::Shape shape = {};

  public:
    CallHeader header;
    const Entry *entry = nullptr;
    KernelArgs args = {};
    Bytes x, out;

    // Read the header of a record and find its kernel, which may be none of these; false if it is cut short.
    bool find(const char *record, Index n, const KernelTable &kernels) {
        if (n < (Index)sizeof header) return false;
        memcpy(&header, record, sizeof header);
        header.name[sizeof header.name - 1] = 0;
        entry = kernels.find(header.name);
        return true;
    }
    // Read what follows the header; false if it is cut short. The input is what follows the tables, or empty.
    bool read(const char *record, Index n) {
        if (header.n_bands < 0 || header.n_bands > n) return false;
        Index at = sizeof header;
        if (!take(record, n, at, header.n_bands * 2 * (Index)sizeof(Index), bands)) return false;
        for (int i = 0; i < MAX_TABLES; i++) {
            Index size = header.table_sizes[i], item_size = entry->table_bytes(i);
            if (item_size == 0) item_size = 1;  // any will do
            if (size < 0 || size > n || !take(record, n, at, size * item_size, tables[i])) return false;
            args.tables[i] = {tables[i].data, size};
        }
        args.layout = &header.layout, args.parameter = header.parameter;
        args.x_size = header.x_size, args.out_size = header.out_size;
        if (is_runnable()) {
            x = Bytes(header.x_size * entry->x_bytes), out = Bytes(header.out_size * entry->out_bytes);
            memset(x.data, FILL, (size_t)x.n);
            memcpy(x.data, record + at, (size_t)min(x.n, n - at));
        }
        return true;
    }
    // Check tables, layout and bands as the module does; nullptr, or what is wrong.
    const char *check() {
        if (const char *wrong = SIZEWISE_ISA::check_call(entry->kind, args, header.n_rows, shape)) return wrong;
        for (Index i = 0; i < header.n_bands; i++)
            if (band(i)[0] < 0 || band(i)[0] > band(i)[1] || band(i)[1] > header.n_rows)
                return "a band outside the rows of the call";
        return nullptr;
    }
    bool is_runnable() const {
        return is_small(header.x_size, entry->x_bytes) && is_small(header.out_size, entry->out_bytes);
    }
    // Run all bands, one after the other, on a fresh result.
    Status run(bool nontemporal) {
        Layout layout = header.layout;
        layout.nontemporal = nontemporal;
        memset(out.data, FILL, (size_t)out.n);
        args.x = x.data, args.out = out.data, args.layout = &layout;
        Status status = DONE;
        for (Index i = 0; i < header.n_bands && status == DONE; i++) {
            args.first = band(i)[0], args.last = band(i)[1];
            status = entry->kernel(args);
        }
        args.layout = &header.layout;
        return status;
    }
    // Rows that a run fills, times the elements that it writes and the taps that it may sum for each.
    double work() const {
        double rows = 0, taps = 1;
        for (Index i = 0; i < header.n_bands; i++) rows += (double)(band(i)[1] - band(i)[0]);
        for (Index size : header.table_sizes) taps += (double)size;
        return rows * taps * (double)shape.row_out;
    }

  private:
    const Index *band(Index i) const { return (const Index *)bands.data + 2 * i; }
    static Index min(Index a, Index b) { return a < b ? a : b; }
    static bool is_small(Index size, Index item_bytes) { return size >= 0 && size <= MAX_BYTES / item_bytes; }
    // Copy n_bytes at record[at] and skip the padding to eight bytes.
    static bool take(const char *record, Index n, Index &at, Index n_bytes, Bytes &taken) {
        if (n_bytes > n - at) return false;
        taken = Bytes(n_bytes);
        memcpy(taken.data, record + at, (size_t)n_bytes);
        at = min(n, at + (n_bytes + 7) / 8 * 8);
        return true;
    }
};

}  // namespace sizewise
