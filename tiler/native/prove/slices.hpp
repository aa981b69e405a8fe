// A track of slices: leaves, and every tile above them computed anew, in one pass in time.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "prove/explain.hpp"
#include "prove/hash.hpp"
#include "prove/ladder.hpp"
#include "prove/leaves.hpp"
#include "prove/names.hpp"
#include "prove/overview.hpp"
#include "prove/rows.hpp"

namespace tilescope {

struct ProveRun {
    int root_level = 0;
    int overview_level = 0;
    int64_t end = 0;
    int64_t names = 0;
};

class ProveSlices {
  public:
    // Given the sums per name of a tile that has a histogram.
    using Histogram = std::function<void(std::size_t tile, ProveNames& names)>;

    // Bins of these `rows`; with the first of them all else. `track_rows`: how many there are.
    ProveSlices(const ProveTree& tree, const ProveRun& run, int64_t track_rows, const ProveRows& rows,
                const ProvePages::Fetch& fetch, LadderScratch& scratch, Histogram histogram, ProveMemory& memory);
    ProveSlices(const ProveSlices&) = delete;
    ProveSlices& operator=(const ProveSlices&) = delete;

    void enter(std::size_t tile, bool has_histogram);
    // A leaf or an interior tile, when all that is below it was left. Throws WrongTile.
    void leave(std::size_t tile, const ProveTile& stored);
    // After the last tile. Throws WrongTile.
    void finish();

    const ProveLeaves& leaves() const { return leaves_; }
    const std::vector<ProveEntry>& overview() const { return overview_.entries(); }
    int64_t individuals() const { return individuals_; }
    int64_t bins() const { return bins_; }

  private:
    struct Level {
        ProveSequence individuals;  // that overlap the tile at hand and are at least two bins long
        bool begun = false;         // whether a leaf of it was left
        ProveRowSums below;         // what the tiles below it hold
        std::unique_ptr<ProveNames> names;
    };

    void take_individuals(int level, int64_t start, const ProveSliceSeries& slices);
    void check_individuals(std::size_t tile, const ProveSliceSeries& stored);
    void check_bins(std::size_t tile, const ProveBinSeries& stored);
    void add_sums(std::size_t tile, const ProveTile& stored);
    void close_names(std::size_t tile);
    Level& at(int level) { return levels_.at(static_cast<std::size_t>(level)); }

    const ProveTree& tree_;
    int root_;
    ProveRows rows_;
    LadderScratch& scratch_;
    ProveMemory& memory_;
    Histogram histogram_;
    ProveExplain explain_;
    ProveLeaves leaves_;
    ProveOverview overview_;
    ProveLadder ladder_;
    std::array<Level, kProveLevels> levels_;
    int lowest_names_ = kProveLevels;  // level of the smallest tile at hand that has a histogram
    int64_t individuals_ = 0, bins_ = 0;
};

}  // namespace tilescope
