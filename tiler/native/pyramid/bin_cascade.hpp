// Sums the slices of a row into bins, at all levels in one pass.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/counted.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/nested_parts.hpp"
#include "pyramid/overview.hpp"
#include "pyramid/tiles.hpp"

namespace tilescope {

// Each level keeps one open bin, and those of higher levels hold those of lower ones. A slice enters at the lowest level at
// which it is shorter than two bins; when the row has moved past a bin, the bin is closed: written down if an interior tile
// holds it, and its sums added to the bin above. Parts of a name are joined where bins become one, so the time is that of
// the slices and of the bins, not of slices times levels, and the dominant name is exact at every level.
class BinCascade {
  public:
    // `interior[level]` lists the tiles, in time order, whose bins are wanted. `overview`, if there is one, is told of all rows.
    // What is written is taken from `budget`. Throws ShortOfBudget, as `add` and `finish_row` do.
    BinCascade(std::vector<std::vector<int64_t>> interior, TrackOverview* overview, MemoryBudget* budget = nullptr);

    bool empty() const { return lowest_ > highest_; }

    // The next slice of the row: starts where the one before ends, or later. Most lie in the bin that is open at the lowest
    // level.
    void add(int64_t start, int64_t duration, int32_t name) {
        const auto from = static_cast<uint64_t>(start - lowest_start_);
        const auto to = from + static_cast<uint64_t>(duration);
        if ((from < lowest_width_) & (to <= lowest_width_)) {
            add_to(open_[static_cast<size_t>(lowest_)], lowest_, name, duration, 1, duration);
        } else {
            move_on(start, duration, name);
        }
    }

    // Closes what is open, and marks what the row has written as row `row`.
    void finish_row(uint32_t row);

    // Number of bins that have been written.
    size_t written() const;

    // Appends the bins of a level to `out`, in the order (tile, row, bin). Returns where each tile's bins begin, and
    // the end of the last.
    std::vector<size_t> take(int level, CountedVector<Bin>& out);

  private:
    // The bin of a level that is open.
    struct Open {
        uint64_t since = 0;  // how often bins had been opened
        int64_t busy = 0;
        int64_t longest = 0;
        uint64_t count = 0;
        int64_t most = -1;  // busy time of the part that dominates
        uint32_t best = 0;  // which part that is
        std::vector<uint32_t> joined;  // parts to be joined with those before them when the bin is closed
    };

    struct Written {
        explicit Written(MemoryBudget* budget) : bins(budget), tile_of(budget) {}

        size_t tile = 0;  // the tile that was written last, as a hint
        size_t row_from = 0;  // first of `bins` in the row that is being summed
        CountedVector<Bin> bins;
        CountedVector<uint32_t> tile_of;
    };

    void put(int level, int64_t bin, int32_t name, int64_t busy, uint32_t count, int64_t longest);
    void move_on(int64_t start, int64_t duration, int32_t name);
    void add_to(Open& open, int level, int32_t name, int64_t busy, uint32_t count, int64_t longest);
    void append_to(Open& open, int level, int32_t name, int64_t busy, uint32_t count, uint32_t latest);
    void offer(Open& bin, uint32_t part, int64_t busy);
    void add_long(int entry, int64_t start, int64_t duration, int32_t name);
    void open_down_to(int level);
    void close_below(int level);
    void close(int level);
    void write(int level, int64_t index, const Part& best);

    NestedParts parts_;
    // Levels [open_from_, highest_] are open, in the bins that hold tick_.
    int64_t tick_ = 0;
    int open_from_ = 0;
    // The bin of the lowest level; its width is 0 while none is open.
    int64_t lowest_start_ = 0;
    uint64_t lowest_width_ = 0;
    int lowest_ = kMaxLevel + 1;
    int highest_ = -1;
    int overview_level_ = kMaxLevel + 1;  // beyond all: there is no overview
    uint64_t opened_ = 0;
    std::array<Open, kMaxLevel + 1> open_;
    std::vector<Written> written_;
    std::vector<std::vector<int64_t>> interior_;
    TrackOverview* overview_;
};

inline void BinCascade::add_to(Open& open, int level, int32_t name, int64_t busy, uint32_t count, int64_t longest) {
    open.busy = add_ticks(open.busy, busy);
    open.count += count;
    open.longest = std::max(open.longest, longest);
    uint32_t& hint = parts_.hint(name);
    const uint32_t part = parts_.latest(hint, name);
    if (part == NestedParts::kNone) return offer(open, parts_.append(hint, name, busy, count, opened_, part), busy);
    NestedParts::Node& latest = parts_[part];
    if (latest.seen < open.since) return append_to(open, level, name, busy, count, part);
    latest.busy = add_ticks(latest.busy, busy);
    latest.count += count;
    latest.seen = opened_;
    offer(open, part, latest.busy);
}

// A part that may dominate the bin, and its busy time. To be told whenever a part becomes more. Nothing is guessed about
// whether it does.
inline void BinCascade::offer(Open& bin, uint32_t part, int64_t busy) {
    const int64_t most = bin.most;
    bool more = busy > most;
    if (busy == most) more = dominates(parts_[part].part(), parts_[bin.best].part());
    const uint32_t best = bin.best;
    bin.best = best ^ ((best ^ part) & (0U - static_cast<uint32_t>(more)));
    bin.most = std::max(busy, most);
}

}  // namespace tilescope
