#include "prove/block.hpp"

#include <utility>

#include "prove/failure.hpp"

namespace tilescope {

ProveBlock::ProveBlock(const ProveRun& run, const ProveTree& tree, const std::vector<ProveTrack>& tracks,
                       const ProveRows& rows, const std::vector<uint8_t>& has_histogram, ProvePages::Fetch fetch,
                       const ProveSlices::Histogram& histogram, ProveMemory& memory)
    : tree_(tree), has_histogram_(has_histogram), fetch_(std::move(fetch)), pages_(tree, fetch_), scratch_(memory) {
    for (std::size_t slot = 0; slot < tracks.size(); ++slot) {
        const ProveTrack& track = tracks[slot];
        if (track.kind == ProveTrack::Kind::kSlices && (rows.are_first() || rows.first < track.rows)) {
            slices_.at(slot) =
                std::make_unique<ProveSlices>(tree, run, track.rows, rows, fetch_, scratch_, histogram, memory);
        } else if (track.kind == ProveTrack::Kind::kCounter && rows.are_first()) {
            counters_.at(slot) = std::make_unique<ProveCounter>(tree, run.root_level, run.overview_level, run.end);
        }
    }
}

void ProveBlock::run() {
    ProveTile content;
    const auto enter = [&](std::size_t tile) {
        const std::size_t slot = tree_.slot[tile];
        if (slices_[slot] != nullptr) slices_[slot]->enter(tile, has_histogram_[tile] != 0);
        if (counters_[slot] != nullptr) counters_[slot]->enter(tile);
    };
    const auto look_at = [&](std::size_t tile) {
        const std::size_t slot = tree_.slot[tile];
        if (slices_[slot] == nullptr && counters_[slot] == nullptr) return;
        pages_.read(tile, content);
        const bool samples = !content.samples.empty() || !content.counter_bins.empty();
        const bool slices = !content.slices.empty() || !content.bins.empty();
        if (slices_[slot] != nullptr ? samples : slices)
            throw WrongTile(tile, "it holds what such a track cannot hold");
        if (slices_[slot] != nullptr) slices_[slot]->leave(tile, content);
        if (counters_[slot] != nullptr) counters_[slot]->leave(tile, content);
    };
    const auto leave = [&](std::size_t tile) {
        try {
            look_at(tile);
        } catch (const ProveShort&) {
            throw ShortTile(tile);
        }
    };
    ProveWalk(tree_).run(enter, leave);
    for (const auto& track : slices_) {
        if (track != nullptr) track->finish();
    }
}

}  // namespace tilescope
