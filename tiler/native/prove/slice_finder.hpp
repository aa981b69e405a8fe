// Finds single slices of a track by their ordinals: for records that name slices, in the order of these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "prove/page.hpp"
#include "prove/tree.hpp"

namespace tilescope {

class ProveSliceFinder {
  public:
    ProveSliceFinder(const ProveTree& tree, ProvePages::Fetch fetch) : tree_(tree), pages_(tree, std::move(fetch)) {}

    // Start, duration, name, flags.
    using Found = std::array<std::vector<int64_t>, 4>;

    // Appends the slices of a leaf with these ordinals, which ascend. Throws WrongTile: where one is lacking, it has `what`.
    void find(std::size_t leaf, Span<const int64_t> ordinals, const std::string& what, Found& out);

  private:
    const ProveTree& tree_;
    ProvePages pages_;
    ProveTile content_;
    bool has_content_ = false;
    std::size_t leaf_ = 0;  // of which this is
    std::size_t position_ = 0;  // the slice that was found last
    std::array<std::size_t, kProveLevels> not_read_{};  // of each level the first leaf that was not passed by
};

}  // namespace tilescope
