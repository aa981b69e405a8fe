// Rollups that have no track in common: the leaves of a block are read once for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "prove/block.hpp"
#include "prove/rollup.hpp"

namespace tilescope {

class ProveLayer {
  public:
    ProveLayer(const ProveRun& run, ProveMemory& memory)
        : run_(run), memory_(memory), places_(static_cast<std::size_t>(run.names) + 1) {}
    ProveLayer(const ProveLayer&) = delete;
    ProveLayer& operator=(const ProveLayer&) = delete;

    // Adds a rollup; those of a block one after the other. The tree outlives the layer.
    void add_rollup(const ProveTree& tree, std::size_t slot, std::size_t track);

    // Takes slices of leaves of a block: those that overlap the batch, [start, stop). `tiles` ascend; `owners`: number of
    // the rollup of each; `framing`: whether it is of a track that names nothing in it. Throws WrongTile, of that block, and
    // WrongTrack.
    void gather(const ProveTree& tree, const std::vector<std::size_t>& tiles, const std::vector<std::size_t>& owners,
                const std::vector<bool>& framing, int64_t start, int64_t stop, ProvePages::Fetch fetch);

    // Throws ProveShort if there is no room to end the batch.
    void check_room() const;

    // Forgets the batch, so that it can be gathered in smaller ones: a tick in (start, stop) at which to divide it, for which
    // there must be one.
    int64_t discard(int64_t start, int64_t stop);

    // Ends the batch for the rollups of the block with this number, and compares their tiles that end until then. Throws
    // WrongTile, of that block, and WrongTrack.
    void complete_until(std::size_t number, int64_t until, ProvePages::Fetch fetch);

    const ProveRollup& rollup(std::size_t number) const { return *rollups_.at(number); }
    std::size_t bins() const { return bins_; }

  private:
    struct Block {
        const ProveTree* tree = nullptr;
        std::array<ProveRollup*, kProveSlots> rollups{};
        std::array<std::size_t, kProveLevels> next_tile{};  // the first tile of each level that was not compared
    };

    ProveRun run_;
    ProveMemory& memory_;
    std::vector<std::size_t> places_;
    std::vector<std::unique_ptr<ProveRollup>> rollups_;
    std::vector<Block> blocks_;
    std::size_t bins_ = 0;
};

}  // namespace tilescope
