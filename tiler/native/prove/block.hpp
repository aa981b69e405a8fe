// All tracks of a block but rollups, proven side by side: each page is read once, unless there are rows without end.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "prove/counter.hpp"
#include "prove/page.hpp"
#include "prove/slices.hpp"

namespace tilescope {

class ProveBlock {
  public:
    // Bits of `summed`, for a tile whose names are summed: for itself; with the same tile of other tracks.
    static constexpr uint8_t kAlone = 1, kTogether = 2;

    // Bins of these `rows` of the tracks that have them; with the first of them all else. `summed`: by position, sums of
    // the above. `together` is given those of several tracks, with the position of the first of their tiles; `by_track` as well,
    // each track's under its slot in place of names.
    ProveBlock(const ProveRun& run, const ProveTree& tree, const std::vector<ProveTrack>& tracks, const ProveRows& rows,
               const std::vector<uint8_t>& summed, ProvePages::Fetch fetch, ProveSlices::Histogram alone,
               ProveSlices::Histogram together, ProveSlices::Histogram by_track, ProveMemory& memory);

    // Throws WrongTile, and ShortTile when it would take more memory than it may.
    void run();

    // The track of a slot; nullptr when it holds a track of another kind.
    const ProveSlices* slices(std::size_t slot) const { return slices_.at(slot).get(); }
    const ProveCounter* counter(std::size_t slot) const { return counters_.at(slot).get(); }

  private:
    struct Together {
        std::size_t first = 0;
        std::unique_ptr<ProveNames> names, tracks;
    };

    void take_names(std::size_t tile, ProveNames& names);
    void close_names(std::size_t tile);

    const ProveTree& tree_;
    const std::vector<uint8_t>& summed_;
    ProveSlices::Histogram alone_, together_, by_track_;
    ProveMemory& memory_;
    std::array<Together, kProveLevels> open_;  // of the tile that is left
    ProvePages::Fetch fetch_;
    ProvePages pages_;
    LadderScratch scratch_;
    std::array<std::unique_ptr<ProveSlices>, kProveSlots> slices_;
    std::array<std::unique_ptr<ProveCounter>, kProveSlots> counters_;
};

}  // namespace tilescope
