// Parts of slices in bins, and what bins are made of: the busy time of each name in each row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "prove/memory.hpp"
#include "prove/page.hpp"
#include "prove/rows.hpp"

namespace tilescope {

// A sum of busy ticks stops here: docs/page-format.md says so of rollups. The order of summation does not show.
constexpr int64_t kMostBusy = int64_t{1} << 62;

// The sum of two sums of busy ticks, at most `kMostBusy`.
inline int64_t sum_at_most(int64_t a, int64_t b) { return a < kMostBusy - b ? a + b : kMostBusy; }

struct ProvePart {
    int64_t bin;    // of some level, from tick 0 on
    uint64_t lane;  // row, then name + 1: in this order bins have them
    int64_t busy, count, longest;

    static uint64_t lane_of(int64_t row, int64_t name) {
        return static_cast<uint64_t>(row) << 32 | static_cast<uint64_t>(name + 1);
    }
    int64_t row() const { return static_cast<int64_t>(lane >> 32); }
    int64_t name() const { return static_cast<int64_t>(lane & 0xFFFF'FFFF) - 1; }
    bool operator<(const ProvePart& other) const { return bin != other.bin ? bin < other.bin : lane < other.lane; }
};

using ProveParts = ProveVector<ProvePart>;

// Brings parts in the order (bin, row, name), each once.
void merge_parts(ProveParts& parts);

// The same for parts of row 0, whose names come in no order within a bin. `places` has one for each name and one more;
// what is in it does not matter.
void merge_parts_of_names(ProveParts& parts, std::vector<std::size_t>& places);

// The sum of the parts of one row of a bin, given merged: the name with the most busy time, then with the most slices,
// then with the lowest id. `bin` is that of the parts.
ProveBin sum_of(Span<const ProvePart> parts);

// `floor(255 * part / total)`.
int64_t share_of(int64_t part, int64_t total);

// Compares the bins that a tile has of some rows with what they should be, both in the order (row, bin). Throws WrongTile.
void compare_bins(std::size_t tile, const ProveVector<ProveBin>& expected, const ProveBinSeries& stored,
                  const ProveRows& rows);

// The lowest level from `lowest` on at which a slice is shorter than two bins.
inline int binned_level(int64_t duration, int lowest) {
    while (duration >> (2 * lowest + 1) != 0) ++lowest;
    return lowest;
}

// A slice's ticks of a span; a slice of length 0 has none, and its place is its start.
struct ProveClip {
    int64_t first, stop;
    int64_t last() const { return stop > first ? stop - 1 : first; }
};

inline ProveClip clip(const ProveSlice& slice, int64_t start, int64_t stop) {
    return {slice.start < start ? start : slice.start, slice.end() > stop ? stop : slice.end()};
}

}  // namespace tilescope
