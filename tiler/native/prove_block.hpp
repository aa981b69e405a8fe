// All tracks of a block but rollups, proven side by side: each page is read once.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "prove_counter.hpp"
#include "prove_page.hpp"
#include "prove_slices.hpp"

namespace tilescope {

struct ProveRun {
    int root_level = 0;
    int overview_level = 0;
    int64_t end = 0;
    int64_t names = 0;
};

class ProveBlock {
  public:
    // `has_histogram`: by position.
    ProveBlock(const ProveRun& run, const ProveTree& tree, const std::vector<ProveTrack>& tracks,
               const std::vector<uint8_t>& has_histogram, ProvePages::Fetch fetch, ProveSlices::Histogram histogram);

    // Throws WrongTile.
    void run();

    // Of a slot; nullptr when it holds a track of another kind.
    const ProveSlices* slices(std::size_t slot) const { return slices_.at(slot).get(); }
    const ProveCounter* counter(std::size_t slot) const { return counters_.at(slot).get(); }

  private:
    const ProveTree& tree_;
    const std::vector<uint8_t>& has_histogram_;
    ProvePages pages_;
    SlicesScratch scratch_;
    std::array<std::unique_ptr<ProveSlices>, kProveSlots> slices_;
    std::array<std::unique_ptr<ProveCounter>, kProveSlots> counters_;
};

}  // namespace tilescope
