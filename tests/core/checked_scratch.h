// Scratch memory of builds with SIZEWISE_CHECKED: every piece is allocated on its own, with its exact size, so that
// AddressSanitizer sees accesses beyond it. `taps.h` includes it inside its namespace and then defines no class Scratch.
class Scratch {
    enum { MAX_PIECES = 8 };
    Index left;
    int n_pieces = 0;
    void *pieces[MAX_PIECES];

  public:
    template <class T> static Index bytes(Index n) { return ceil_div(n * (Index)sizeof(T), CACHE_LINE) * CACHE_LINE; }
    explicit Scratch(Index n_bytes) : left(n_bytes) {}
    ~Scratch() {
        while (n_pieces > 0) free(pieces[--n_pieces]);
    }
    Scratch(const Scratch &) = delete;
    bool failed() const { return left > (Index)1 << 32; }
    template <class T> T *take(Index n) {
        left -= bytes<T>(n);
        bool fits = left >= 0 && n_pieces < MAX_PIECES;
        if (!fits || posix_memalign(&pieces[n_pieces], CACHE_LINE, (size_t)n * sizeof(T)) != 0) __builtin_trap();
        return (T *)pieces[n_pieces++];
    }
};
