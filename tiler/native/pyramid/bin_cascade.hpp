// Sums the slices of a row into bins, at all levels in one pass.
#pragma once

#include <cstdint>
#include <vector>

#include "base/counted.hpp"
#include "pyramid/part_list.hpp"
#include "pyramid/tiles.hpp"

namespace tilescope {

// Each level keeps one open bin: its (name → busy, count) table. A slice enters at the lowest level at which it is
// shorter than two bins; when the row has moved past a bin, the bin is closed: written down if an interior tile holds
// it, and its table added to the bin above. So memory is one table per level, whatever the number of slices, and the
// dominant name is exact at every level.
class BinCascade {
  public:
    // `interior[level]` lists the tiles, in time order, whose bins are wanted.
    // What is written is taken from `budget`. Throws ShortOfBudget, as `add` and `finish_row` do.
    explicit BinCascade(std::vector<std::vector<int64_t>> interior, MemoryBudget* budget = nullptr);

    bool empty() const { return lowest_ > highest_; }

    // The next slice of the row: starts where the one before ends, or later.
    void add(int64_t start, int64_t duration, int32_t name);

    // Closes what is open, and marks what the row has written as row `row`.
    void finish_row(uint32_t row);

    // How many bins have been written.
    size_t written() const;

    // Appends the bins of a level to `out`, in the order (tile, row, bin). Returns where each tile's bins begin, and
    // the end of the last.
    std::vector<size_t> take(int level, CountedVector<Bin>& out);

  private:
    struct Level {
        explicit Level(MemoryBudget* budget) : written(budget), written_tile(budget) {}

        PartList names;
        int64_t bin = 0;
        int64_t longest = 0;
        bool open = false;
        size_t tile = 0;  // the tile that was written last, as a hint
        size_t row_from = 0;  // first entry of `written` in the row that is being summed
        CountedVector<Bin> written;
        CountedVector<uint32_t> written_tile;
    };

    void put(int level, int64_t bin, int32_t name, int64_t busy, uint64_t count, int64_t longest);
    void open(Level& at, int level, int64_t bin);
    void close(int level);

    PartPlaces& places_ = PartPlaces::of_thread();
    std::vector<std::vector<int64_t>> interior_;
    std::vector<Level> levels_;
    int lowest_;
    int highest_ = -1;
};

}  // namespace tilescope
