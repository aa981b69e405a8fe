// The explanation of a wrong tile, whose hash is not that of the events below it: goes through its leaves once more.
#pragma once

#include <cstddef>

#include "prove/memory.hpp"
#include "prove/page.hpp"
#include "prove/rows.hpp"
#include "prove/tree.hpp"

namespace tilescope {

// Each throws WrongTile, or ProveShort.
class ProveExplain {
  public:
    ProveExplain(const ProveTree& tree, const ProvePages::Fetch& fetch, ProveMemory& memory)
        : tree_(tree), fetch_(fetch), memory_(memory) {}

    // The slices that reach into a leaf are not those that reach out of the one before it.
    [[noreturn]] void reaching(std::size_t before, std::size_t leaf) const;
    // The single slices of an interior tile.
    [[noreturn]] void individuals(std::size_t tile) const;
    // Its bins, of these rows.
    [[noreturn]] void bins(std::size_t tile, const ProveRows& rows) const;
    // Compares the sums of its rows with the four tiles below it.
    [[noreturn]] void row_sums(std::size_t tile) const;

  private:
    // Leaves of a tile in the order of time.
    std::vector<std::size_t> leaves_of(std::size_t tile) const;

    const ProveTree& tree_;
    const ProvePages::Fetch& fetch_;
    ProveMemory& memory_;
};

}  // namespace tilescope
