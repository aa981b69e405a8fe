// A track of slices: leaves, and every tile above them computed anew, in one pass in time.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "prove_ladder.hpp"
#include "prove_leaves.hpp"
#include "prove_names.hpp"
#include "prove_overview.hpp"

namespace tilescope {

// What a row of a tile holds as it is stored: events that start in it, and busy ticks.
struct ProveRowSum {
    int64_t row, count;
    uint64_t busy;
};

// Memory that the tracks of a block take turns with.
struct SlicesScratch {
    LadderScratch ladder;
    std::vector<ProveRowSum> by_row;  // all zero between two uses
    std::vector<int64_t> rows;
};

class ProveSlices {
  public:
    // Given the sums per name of a tile that has a histogram.
    using Histogram = std::function<void(std::size_t tile, const ProveNames& names)>;

    ProveSlices(const ProveTree& tree, int root_level, int overview_level, int64_t rows, int64_t names, int64_t end,
                SlicesScratch& scratch, Histogram histogram);

    void enter(std::size_t tile, bool has_histogram);
    // A leaf or an interior tile, when all that is below it was left. Throws WrongTile.
    void leave(std::size_t tile, const ProveTile& found);
    // After the last tile. Throws WrongTile.
    void finish();

    const ProveLeaves& leaves() const { return leaves_; }
    const std::vector<ProveEntry>& overview() const { return overview_.entries(); }
    int64_t individuals() const { return individuals_; }
    int64_t bins() const { return bins_; }

  private:
    struct Level {
        std::vector<ProveSlice> kept;  // that overlap the tile at hand and are at least two bins long
        std::vector<ProveRowSum> below;  // what the tiles below it hold
        bool begun = false;            // whether one was left
        std::unique_ptr<ProveNames> names;
    };

    void keep(int level, int64_t start, const std::vector<ProveSlice>& slices);
    void check_individuals(std::size_t tile, const std::vector<ProveSlice>& found) const;
    void check_bins(std::size_t tile, const std::vector<ProveBin>& found);
    void add_sums(std::size_t tile, const ProveTile& found);
    void sum_rows(std::vector<ProveRowSum>& sums);
    void close_names(std::size_t tile);

    const ProveTree& tree_;
    int root_;
    SlicesScratch& scratch_;
    Histogram histogram_;
    ProveLeaves leaves_;
    ProveOverview overview_;
    ProveLadder ladder_;
    std::array<Level, kProveLevels> levels_;
    int lowest_names_ = kProveLevels;  // level of the smallest tile at hand that has a histogram
    int64_t individuals_ = 0, bins_ = 0;
};

}  // namespace tilescope
