// What all kinds of tracks share: their list of tiles, and the columns that tiles are written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/counted.hpp"
#include "pages/container.hpp"

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

// A page, and what was rounded off the busy times of its bins: empty when it has none.
struct EncodedPage {
    std::string page;
    std::string residual;
};

// The columns of one page, filled tile by tile.
struct PageColumns {
    // A page whose tile is very large takes what it needs from `budget`.
    explicit PageColumns(MemoryBudget* budget = nullptr) : charge_(budget) {}

    std::vector<int64_t> index, slot, tile_flags, n_slices, n_bins, n_counter_bins, n_samples;
    std::vector<double> carry;
    std::vector<int64_t> start, duration, row, name, ordinal, slice_flags;
    std::vector<int64_t> bin, bin_row, count, busy, bin_name, share, longest_minus_busy;
    std::vector<int64_t> counter_bin, n;
    std::vector<double> first, last, min, max, mean;
    std::vector<int64_t> time, sample_ordinal;
    std::vector<double> value;

    EncodedPage encode(int level, uint32_t block) const;

    // To be called before another slice or bin is put in. Throws ShortOfBudget.
    void count_one() { count_items(1); }

    // For so many slices, where a page is of usual size: columns that grow are copied again and again.
    void make_room(size_t slices) {
        if (slices > kItemsAtOnce) return;
        for (std::vector<int64_t>* column : {&start, &duration, &row, &name, &ordinal, &slice_flags})
            column->reserve(slices);
    }

    // As `count_one`, of many.
    void count_items(size_t items) {
        const size_t before = items_ / kItemsAtOnce;
        items_ += items;
        if (items_ / kItemsAtOnce != before)
            charge_.add((items_ / kItemsAtOnce - before) * kItemsAtOnce * kBytesPerItem);
    }

  private:
    // Columns of eight bytes, the bytes that they become, and copies of these: on a page of five million slices it was 61.
    static constexpr size_t kBytesPerItem = 64;
    static constexpr size_t kItemsAtOnce = 1 << 16;

    size_t items_ = 0;
    BudgetCharge charge_;

    std::string encode_residual(int level, uint32_t block, const std::vector<int64_t>& busy_residual) const;
};

class TrackTiles {
  public:
    virtual ~TrackTiles() = default;
    virtual const std::vector<Tile>& tiles() const = 0;
    // Appends what the tile holds to the slice, bin, counter bin or sample columns, and its carry.
    virtual void append(const Tile& tile, PageColumns& page) const = 0;
    // Whether its leaves hold slices.
    virtual bool has_slices() const { return false; }
    // Roughly how many values the tile adds, to decide where a page ends.
    virtual size_t weight(const Tile& tile) const = 0;
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

void append_bin(const Bin& bin, PageColumns& page);

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
