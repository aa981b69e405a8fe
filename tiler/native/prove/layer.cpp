#include "prove/layer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "prove/failure.hpp"

namespace tilescope {

void ProveLayer::add_rollup(const ProveTree& tree, std::size_t slot, std::size_t track) {
    if (blocks_.empty() || blocks_.back().tree != &tree) {
        blocks_.push_back({&tree, {}, {}});
        const auto first = tree.level_first();
        std::copy(first.begin(), first.end() - 1, blocks_.back().next_tile.begin());
    }
    rollups_.push_back(
        std::make_unique<ProveRollup>(tree, slot, track, run_.root_level, run_.overview_level, places_, memory_));
    blocks_.back().rollups.at(slot) = rollups_.back().get();
}

void ProveLayer::gather(const ProveTree& tree, const std::vector<std::size_t>& tiles,
                        const std::vector<std::size_t>& owners, const std::vector<bool>& framing, int64_t start,
                        int64_t stop, ProvePages::Fetch fetch) {
    ProvePages pages(tree, std::move(fetch));
    ProveTile content;
    for (std::size_t k = 0; k < tiles.size(); ++k) {
        const std::size_t tile = tiles[k];
        ProveRollup& rollup = *rollups_.at(owners.at(k));
        pages.read(tile, content);
        const bool first = tree.start(tile) <= start;  // the leaf in which the batch begins, or one before it
        content.slices.each([&](const ProveSlice& slice) {
            // The proof of the tracks may not have come here yet.
            if (slice.start < 0 || slice.start > run_.end || slice.duration < 0 ||
                slice.duration > run_.end - slice.start || slice.name < -1 || slice.name >= run_.names) {
                throw WrongTile(tile, "event " + std::to_string(slice.ordinal) +
                                          ": it is not within the run, or its name is not there");
            }
            const bool starts = (slice.flags & kProveReachesIn) == 0 && slice.start >= start && slice.start < stop;
            const bool runs = first && slice.start < start && slice.end() > start;
            if (!starts && !runs) return;
            const ProveClip part = clip(slice, start, stop);
            rollup.add(part.first, part.stop, framing.at(k) ? -1 : slice.name, slice.duration, starts ? 1 : 0);
        });
    }
}

void ProveLayer::check_room() const {
    std::size_t most = 0;
    for (const auto& rollup : rollups_) most = std::max(most, rollup->bytes_to_complete());
    const ProveCharge room(memory_, most);
}

int64_t ProveLayer::discard(int64_t start, int64_t stop) {
    std::vector<int64_t> ticks;
    for (const auto& rollup : rollups_) {
        rollup->sample_edges(ticks);
        rollup->discard();
    }
    const auto last =
        std::remove_if(ticks.begin(), ticks.end(), [&](int64_t tick) { return tick <= start || tick >= stop; });
    if (last == ticks.begin()) return start + (stop - start) / 2;
    const auto middle = ticks.begin() + (last - ticks.begin()) / 2;
    std::nth_element(ticks.begin(), middle, last);
    return *middle;
}

void ProveLayer::complete_until(std::size_t number, int64_t until, ProvePages::Fetch fetch) {
    Block& block = blocks_.at(number);
    const ProveTree& tree = *block.tree;
    for (ProveRollup* rollup : block.rollups) {
        if (rollup != nullptr) rollup->complete_until(until);
    }
    ProvePages pages(tree, std::move(fetch));
    ProveTile content;
    const auto first = tree.level_first();
    for (std::size_t z = 0; z < kProveLevels; ++z) {
        for (std::size_t& tile = block.next_tile[z]; tile < first[z + 1] && tree.stop(tile) <= until; ++tile) {
            ProveRollup* rollup = block.rollups[tree.slot[tile]];
            if (rollup == nullptr) continue;
            pages.read(tile, content);
            if (!content.slices.empty() || !content.samples.empty() || !content.counter_bins.empty()) {
                throw WrongTile(tile, "it holds what such a tile cannot hold");
            }
            rollup->check(tile, content);
            bins_ += content.bins.size();
        }
    }
}

}  // namespace tilescope
