// The tiles of a block as its shape record lists them, and a walk over them in time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilescope {

constexpr int kProveLevels = 28;
constexpr std::size_t kProveSlots = 32;

// In the order (level, tile index, slot): a tree, as tiler/verify/tree.py has checked.
struct ProveTree {
    std::vector<uint8_t> level;
    std::vector<int64_t> index;
    std::vector<uint8_t> slot;
    std::vector<uint8_t> flags;  // kLeafTile, kTerminalTile
    std::vector<int64_t> events;
    std::vector<std::size_t> page_first;  // position of the first tile of each page
    std::size_t block = 0;

    static constexpr uint8_t kLeafTile = 1, kTerminalTile = 2;

    std::size_t size() const { return level.size(); }
    bool is_leaf(std::size_t tile) const { return (flags[tile] & kLeafTile) != 0; }
    bool is_terminal(std::size_t tile) const { return (flags[tile] & kTerminalTile) != 0; }
    int64_t start(std::size_t tile) const { return index[tile] << (2 * level[tile] + 8); }
    int64_t stop(std::size_t tile) const { return (index[tile] + 1) << (2 * level[tile] + 8); }
    std::size_t page_of(std::size_t tile) const;
    // First position after the tiles of a page.
    std::size_t page_stop(std::size_t page) const {
        return page + 1 < page_first.size() ? page_first[page + 1] : size();
    }
    // Positions of each level: from [z] to [z + 1].
    std::array<std::size_t, kProveLevels + 1> level_first() const;
};

// Visits the tiles in the order of time, all tracks together: `enter` from the root down, `leave` when all that lies
// below has been left. So each level is left in the order of its positions.
class ProveWalk {
  public:
    explicit ProveWalk(const ProveTree& tree);

    using Visit = std::function<void(std::size_t tile)>;
    void run(const Visit& enter, const Visit& leave);

  private:
    void visit(int level, int64_t index, const Visit& enter, const Visit& leave);

    const ProveTree& tree_;
    std::array<std::size_t, kProveLevels + 1> first_;
    std::array<std::size_t, kProveLevels> next_{};
};

}  // namespace tilescope
