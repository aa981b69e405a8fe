// Base of all kinds of tracks: their list of tiles, and the columns that tiles are written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/counted.hpp"
#include "base/span.hpp"
#include "pages/container.hpp"
#include "pages/rounding.hpp"

namespace tilescope {

constexpr uint8_t kLeaf = 1;
constexpr uint8_t kTerminal = 2;
constexpr uint8_t kPageStart = 4;  // in shape records

struct Tile {
    int64_t index;
    uint64_t first;  // events [first, last) of the track start in the tile
    uint64_t last;
    uint64_t content;  // where the track keeps what else belongs to the tile
    uint8_t level;
    uint8_t flags;
};

// The summary of a bin, as a page holds it.
struct Bin {
    int64_t busy;
    int64_t longest;
    uint64_t count;
    int32_t name;
    uint32_t row;
    uint8_t bin;
    uint8_t share;
};

// The columns of one page, filled tile by tile.
struct PageColumns {
    // A page whose tile is very large takes what it needs from `budget`.
    explicit PageColumns(MemoryBudget* budget = nullptr) : charge_(budget) {}

    std::vector<int64_t> index;
    std::vector<uint8_t> slot, tile_flags;
    std::vector<int64_t> n_slices, n_bins, n_counter_bins, n_samples;
    std::vector<double> carry;
    std::vector<int64_t> start, duration;
    std::vector<uint32_t> row;
    std::vector<int32_t> name;
    std::vector<NumberRun> ordinal;
    std::vector<uint8_t> slice_flags;
    std::vector<uint8_t> bin;
    std::vector<uint32_t> bin_row;
    std::vector<int64_t> count, busy;
    std::vector<int32_t> bin_name;
    std::vector<uint8_t> share;
    std::vector<int64_t> longest_minus_busy;
    std::vector<int64_t> counter_bin, n;
    std::vector<double> first, last, min, max, mean;
    std::vector<int64_t> time;
    std::vector<NumberRun> sample_ordinal;
    std::vector<double> value;

    // Appends bins to their columns. Throws ShortOfBudget.
    void append_bins(Span<const Bin> bins);

    // To be called before another slice or bin is put in. Throws ShortOfBudget.
    void count_one() { count_items(1); }

    // For so many slices, where a page is of usual size: columns that grow are copied again and again.
    void make_room(size_t slices) {
        if (slices > kItemsAtOnce) return;
        start.reserve(slices);
        duration.reserve(slices);
        row.reserve(slices);
        name.reserve(slices);
        slice_flags.reserve(slices);
    }

    // As `count_one`, of many.
    void count_items(size_t items) {
        const size_t before = items_ / kItemsAtOnce;
        items_ += items;
        if (items_ / kItemsAtOnce != before)
            charge_.add((items_ / kItemsAtOnce - before) * kItemsAtOnce * kBytesPerItem);
    }

  private:
    // Columns, the bytes that they become, and copies of these.
    static constexpr size_t kBytesPerItem = 64;
    static constexpr size_t kItemsAtOnce = 1 << 16;

    size_t items_ = 0;
    BudgetCharge charge_;
};

// Appends one to numbers.
inline void append_number(std::vector<NumberRun>& numbers, int64_t number) {
    if (!numbers.empty() && numbers.back().first + static_cast<int64_t>(numbers.back().n) == number) ++numbers.back().n;
    else numbers.push_back({number, 1});
}

// Appends the numbers of `more`, of which there may be none.
inline void append_numbers(std::vector<NumberRun>& numbers, const NumberRun& more) {
    if (more.n == 0) return;
    append_number(numbers, more.first);
    numbers.back().n += more.n - 1;
}

// A page, and what was rounded off the busy times of its bins: how long they are is known before they are written.
class PlannedPage {
  public:
    // The columns are those of tiles of one level and block.
    PlannedPage(std::unique_ptr<PageColumns> columns, int level, uint32_t block);

    const ContainerWriter& page() const { return page_; }
    // Nothing where the page has no bins.
    const std::optional<ContainerWriter>& residual() const { return residual_; }

  private:
    std::unique_ptr<PageColumns> columns_;
    RoundedBusy rounded_;
    ContainerWriter page_;
    std::optional<ContainerWriter> residual_;
};

class TrackTiles {
  public:
    virtual ~TrackTiles() = default;
    virtual const std::vector<Tile>& tiles() const = 0;
    // Appends what the tile holds to the slice, bin, counter bin or sample columns, and its carry.
    virtual void append(const Tile& tile, PageColumns& page) const = 0;
    // True if its leaves hold slices.
    virtual bool has_slices() const { return false; }
    // Roughly how many values the tile adds, to decide where a page ends.
    virtual size_t weight(const Tile& tile) const = 0;
};

// Sums of busy ticks stop here, in rollups: a single slice ends below 2^61, but thousands of them may share a bin.
constexpr int64_t kBusyLimit = int64_t{1} << 62;

// The sum of two busy times in [0, kBusyLimit], cut there. Cut sums are the same in whatever order they are made.
inline int64_t add_busy(int64_t a, int64_t b) {
    const uint64_t sum = static_cast<uint64_t>(a) + static_cast<uint64_t>(b);  // at most 2^63
    return static_cast<int64_t>(sum < uint64_t{kBusyLimit} ? sum : uint64_t{kBusyLimit});
}

// A name's part of a bin. To be put into vectors by `emplace_back`: a temporary part would be copied by other units than those
// in which it was just written, and wait for these.
struct Part {
    Part() = default;
    Part(int32_t its_name, int64_t its_busy, uint64_t its_count) : name(its_name), busy(its_busy), count(its_count) {}

    int32_t name;
    int64_t busy;
    uint64_t count;
};

// The most busy time, then the most slices, then the lowest id.
inline bool dominates(const Part& a, const Part& b) {
    if (a.busy != b.busy) return a.busy > b.busy;
    if (a.count != b.count) return a.count > b.count;
    return a.name < b.name;
}

struct Dominates {
    bool operator()(const Part& a, const Part& b) const { return dominates(a, b); }
};

// The part of 255 that belongs to `part`, rounded down.
uint8_t share_of(const Part& part, int64_t busy, uint64_t count);

}  // namespace tilescope
