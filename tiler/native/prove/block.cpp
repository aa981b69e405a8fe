#include "prove/block.hpp"

#include <utility>

#include "prove/failure.hpp"

namespace tilescope {

ProveBlock::ProveBlock(const ProveRun& run, const ProveTree& tree, const std::vector<ProveTrack>& tracks,
                       const ProveRows& rows, const std::vector<uint8_t>& summed, ProvePages::Fetch fetch,
                       ProveSlices::Histogram alone, ProveSlices::Histogram together, ProveSlices::Histogram by_track,
                       ProveMemory& memory)
    : tree_(tree),
      summed_(summed),
      alone_(std::move(alone)),
      together_(std::move(together)),
      by_track_(std::move(by_track)),
      memory_(memory),
      fetch_(std::move(fetch)),
      pages_(tree, fetch_),
      scratch_(memory) {
    const auto take = [this](std::size_t tile, ProveNames& names) { take_names(tile, names); };
    for (std::size_t slot = 0; slot < tracks.size(); ++slot) {
        const ProveTrack& track = tracks[slot];
        if (track.kind == ProveTrack::Kind::kSlices && (rows.are_first() || rows.first < track.rows)) {
            slices_.at(slot) =
                std::make_unique<ProveSlices>(tree, run, track.rows, rows, fetch_, scratch_, take, memory);
        } else if (track.kind == ProveTrack::Kind::kCounter && rows.are_first()) {
            counters_.at(slot) = std::make_unique<ProveCounter>(tree, run.root_level, run.overview_level, run.end);
        }
    }
}

void ProveBlock::run() {
    ProveTile content;
    const auto enter = [&](std::size_t tile) {
        const std::size_t slot = tree_.slot[tile];
        if (slices_[slot] != nullptr) slices_[slot]->enter(tile, summed_[tile] != 0);
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
            close_names(tile);
        } catch (const ProveShort&) {
            throw ShortTile(tile);
        }
    };
    ProveWalk(tree_).run(enter, leave);
    for (const auto& track : slices_) {
        if (track != nullptr) track->finish();
    }
}

void ProveBlock::take_names(std::size_t tile, ProveNames& names) {
    if ((summed_[tile] & kAlone) != 0) alone_(tile, names);
    if ((summed_[tile] & kTogether) == 0) return;
    Together& all = open_.at(tree_.level[tile]);
    if (all.names == nullptr) {
        all = {tile, std::make_unique<ProveNames>(memory_), std::make_unique<ProveNames>(memory_)};
    }
    all.names->add(names);
    all.tracks->add_as(names, tree_.slot[tile]);
}

// Tiles of one level and index are left one after the other.
void ProveBlock::close_names(std::size_t tile) {
    const std::size_t next = tile + 1;
    if (next < tree_.size() && tree_.level[next] == tree_.level[tile] && tree_.index[next] == tree_.index[tile]) return;
    const Together all = std::exchange(open_.at(tree_.level[tile]), {});
    if (all.names == nullptr) return;
    together_(all.first, *all.names);
    by_track_(all.first, *all.tracks);
}

}  // namespace tilescope
