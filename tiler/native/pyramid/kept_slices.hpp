// The slices of a track that are kept for its rollups: in memory, or in a file from which they are read piece by piece.
//
// A mapped file would be simpler, but counts as memory of the process: some kernels map 2 MiB for a look at one value, and
// a rollup looks at all tracks of a run side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pyramid/geometry.hpp"
#include "pyramid/slice_track.hpp"

namespace tilescope {

class KeptSlices {
  public:
    // Columns that outlive it. Rows and flags are not looked at.
    explicit KeptSlices(const SliceColumns& columns) : columns_(columns), n_(columns.size()) {}

    // Writes the columns to the file from `offset` on, where it takes `bytes()` at most. Throws std::system_error.
    KeptSlices(int file, int64_t offset, const SliceColumns& columns);

    size_t size() const { return n_; }
    int64_t bytes() const { return static_cast<int64_t>(n_ * kBytesPerSlice); }

  private:
    friend class SliceCursor;

    static constexpr size_t kPiece = 512;  // slices that are read at a time
    static constexpr size_t kMarked = 64;  // one of so many slices of a piece is marked, but the first
    static constexpr size_t kBytesPerSlice = 2 * sizeof(int64_t) + sizeof(int32_t);  // at most

    // A piece of the slices in the file, column after column: starts from `start` on, names from `name` on, and values
    // in half of their bytes where all of the piece fit. Most do, and a page of a file costs more than a few sums.
    struct Piece {
        int64_t start;  // of its first slice
        int64_t place;  // in the file
        uint64_t durations;  // bits that any of them has
        int32_t name;  // the least
        uint8_t start_bytes;  // that a value takes
        uint8_t duration_bytes;
        uint8_t name_bytes;
        uint8_t mark_shift;
        // Starts of marked slices, in units of 2^mark_shift behind the first: to tell without reading about how many
        // start before some time.
        std::array<uint16_t, kPiece / kMarked - 1> marks;

        void mark(Span<const int64_t> starts);
        size_t bytes_per_slice() const { return size_t{start_bytes} + duration_bytes + name_bytes; }
    };

    bool in_file() const { return file_ >= 0; }
    // True if the slices of a piece that start before `time` end there or before, as far as that is seen without a look
    // at each.
    bool ends_by(size_t piece, int64_t time) const;
    size_t piece_size(size_t piece) const { return n_ - piece * kPiece < kPiece ? n_ - piece * kPiece : kPiece; }

    SliceColumns columns_;
    size_t n_;
    int file_ = -1;
    std::vector<Piece> pieces_;
};

// Goes through kept slices in order, once.
class SliceCursor {
  public:
    explicit SliceCursor(const KeptSlices& slices);

    // Start of the next slice; INT64_MAX after the last.
    int64_t next_start() const { return next_start_; }

    // Number of slices from the next on that start before `stop`. Throws std::system_error.
    size_t count_before(int64_t stop);

    // The same without reading: at least and at most so many. Both are zero only if there are none.
    std::pair<size_t, size_t> bounds_before(int64_t stop) const;

    // Passes over the slices that start before `time`, of which none has been taken, and returns how many they are. Visits (end,
    // duration, name) of those that end behind it. Throws as `take_before` does.
    template <typename Visit>
    size_t pass_to(int64_t time, Visit&& visit) {
        const size_t passed = count_before(time);
        for (size_t piece = 0; piece * KeptSlices::kPiece < passed; ++piece) {
            if (slices_.ends_by(piece, time)) continue;
            const SliceColumns slices = piece_before(piece, passed);
            for (size_t k = 0; k < slices.size(); ++k) {
                const int64_t start = slices.start[k];
                const int64_t duration = slices.duration[k];
                if (start < 0 || start > time || duration < 0 || duration >= kTimeLimit - start) refuse(slices);
                if (duration > time - start) visit(start + duration, duration, slices.name[k]);
            }
        }
        go_to(passed);
        return passed;
    }

    // Visits the next slices, as long as they start before `stop`, as columns without rows and flags. Throws std::system_error,
    // and std::invalid_argument when they are not in order or end beyond the time limit.
    template <typename Visit>
    void take_before(int64_t stop, Visit&& visit) {
        while (next_start_ < stop) {
            const size_t first = next_;
            size_t slice = first;
            uint64_t before = before_;
            // Whatever is negative is wrong, and none of them overflows unless another one is negative.
            uint64_t wrong = 0;
            for (; slice < window_.size() && window_.start[slice] < stop; ++slice) {
                const auto start = static_cast<uint64_t>(window_.start[slice]);
                const auto duration = static_cast<uint64_t>(window_.duration[slice]);
                const uint64_t left = uint64_t{kTimeLimit} - 1 - start;
                wrong |= (start - before) | left | duration | (left - duration);
                before = start;
            }
            const size_t n = slice - first;
            next_ = slice;
            before_ = before;
            const SliceColumns slices(window_.start.subspan(first, n), window_.duration.subspan(first, n),
                                      window_.name.subspan(first, n));
            if (wrong >> 63 != 0) refuse(slices);
            visit(slices);
            advance();
            if (next_start_ >= stop) look_forward_to(n);
        }
    }

  private:
    [[noreturn]] static void refuse(const SliceColumns& slices);
    void look_forward_to(size_t slices) const;
    void advance();  // to the window in which the next slice lies
    void load(size_t number);
    SliceColumns piece_before(size_t number, size_t stop);  // its slices before that of a number
    void go_to(size_t slice);
    size_t count_in_window(int64_t stop) const;
    size_t last_piece_before(int64_t stop) const;  // this one, or a later one that begins before
    Span<const int64_t> look_ahead(size_t number);  // the starts of a piece

    const KeptSlices& slices_;
    SliceColumns window_;  // all of the slices, or one piece
    size_t window_first_ = 0;  // number of its first slice
    size_t next_ = 0;  // in the window
    int64_t next_start_ = INT64_MAX;
    uint64_t before_ = 0;  // start of the slice that was visited last
    std::vector<char> buffer_;  // a piece as it lies in the file, and its columns
    std::vector<int64_t> start_;
    std::vector<int64_t> duration_;
    std::vector<int32_t> name_;
    std::vector<int64_t> ahead_;
    size_t ahead_piece_ = SIZE_MAX;
};

}  // namespace tilescope
