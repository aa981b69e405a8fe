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
    // Bins of these `rows` of the tracks that have them; with the first of them all else. `has_histogram`: by position.
    ProveBlock(const ProveRun& run, const ProveTree& tree, const std::vector<ProveTrack>& tracks, const ProveRows& rows,
               const std::vector<uint8_t>& has_histogram, ProvePages::Fetch fetch,
               const ProveSlices::Histogram& histogram, ProveMemory& memory);

    // Throws WrongTile, and ShortTile when it would take more memory than it may.
    void run();

    // Of a slot; nullptr when it holds a track of another kind.
    const ProveSlices* slices(std::size_t slot) const { return slices_.at(slot).get(); }
    const ProveCounter* counter(std::size_t slot) const { return counters_.at(slot).get(); }

  private:
    const ProveTree& tree_;
    const std::vector<uint8_t>& has_histogram_;
    ProvePages::Fetch fetch_;
    ProvePages pages_;
    LadderScratch scratch_;
    std::array<std::unique_ptr<ProveSlices>, kProveSlots> slices_;
    std::array<std::unique_ptr<ProveCounter>, kProveSlots> counters_;
};

}  // namespace tilescope
