#include "pyramid/histogram.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tilescope {

namespace {

std::vector<HistogramTile> checked(std::vector<HistogramTile> tiles, const std::vector<SliceColumns>& tracks) {
    if (tracks.size() > HistogramWalk::kTracks) throw std::invalid_argument("too many tracks");
    if (tiles.empty()) return tiles;
    // Before zero and beyond 2**61 they are refused as such, later.
    const HistogramTile& first = tiles[0];
    if (first.level > kMaxLevel || first.index < 0 || first.index > tile_at(kTimeLimit - 1, first.level)) return tiles;
    // Sweeps begin at the first tile: nothing may lie before it.
    for (const SliceColumns& slices : tracks) {
        if (slices.size() > 0 && slices.start[0] < tile_start(first.index, first.level)) {
            throw std::invalid_argument("slices start before the first tile");
        }
    }
    const uint64_t all = (uint64_t{1} << tracks.size()) - 1;
    if (std::any_of(tiles.begin(), tiles.end(), [all](const HistogramTile& tile) { return (tile.own & ~all) != 0; })) {
        throw std::invalid_argument("a tile is wanted of a track that is not there");
    }
    return tiles;
}

std::vector<HistogramTile> wanted_together(const std::vector<HistogramTile>& tiles) {
    std::vector<HistogramTile> together;
    std::copy_if(tiles.begin(), tiles.end(), std::back_inserter(together),
                 [](const HistogramTile& tile) { return tile.together; });
    return together;
}

// Returns the tiles that are wanted, and those above them.
std::vector<HistogramTile> with_those_above(const std::vector<HistogramTile>& tiles) {
    std::vector<std::size_t> parent(tiles.size(), 0), above;
    std::vector<uint8_t> is_summed(tiles.size(), 0);
    for (std::size_t k = 0; k < tiles.size(); ++k) {
        while (!above.empty() && tiles[above.back()].level <= tiles[k].level) above.pop_back();
        if (!above.empty()) parent[k] = above.back();
        above.push_back(k);
        is_summed[k] = tiles[k].together || tiles[k].own != 0 ? 1 : 0;
    }
    for (std::size_t k = tiles.size(); k-- > 1;) is_summed[parent[k]] |= is_summed[k];
    std::vector<HistogramTile> summed;
    for (std::size_t k = 0; k < tiles.size(); ++k) {
        if (is_summed[k] != 0) summed.push_back(tiles[k]);
    }
    return summed;
}

}  // namespace

HistogramWalk::HistogramWalk(const std::vector<SliceColumns>& tracks, std::vector<HistogramTile> tiles,
                             RecordFinder::Limits limits, MemoryBudget* budget,
                             const std::optional<std::vector<int32_t>>& track_names, std::size_t most_pairs)
    : tracks_(tracks),
      limits_(limits),
      budget_(budget),
      names_(tracks),
      tiles_(checked(std::move(tiles), tracks)),
      together_(wanted_together(tiles_)),
      most_pairs_(most_pairs) {
    const bool by_track = track_names.has_value() && !together_.empty();
    finder_ = std::make_unique<RecordFinder>(tracks_, together_, names_, limits_, by_track, budget_);
    if (!track_names) return;
    if (track_names->size() != tracks.size()) throw std::invalid_argument("each track has a name");
    for (std::size_t k = 1; k < track_names->size(); ++k) {
        if ((*track_names)[k - 1] >= (*track_names)[k]) throw std::invalid_argument("names of tracks ascend");
    }
    track_names_ = track_names;
}

const std::vector<HistogramTile>& HistogramWalk::with_records() {
    if (!finder_) return tiles_;
    while (finder_->next()) {}
    auto has_record = finder_->has_record().begin();
    for (HistogramTile& tile : tiles_) {
        if (tile.together) tile.together = *has_record++ != 0;
    }
    finder_.reset();
    look_at_each();
    return tiles_;
}

// Tells which tracks have records of their own.
void HistogramWalk::look_at_each() {
    for (std::size_t track = 0; track < tracks_.size(); ++track) {
        const uint32_t bit = uint32_t{1} << track;
        std::vector<HistogramTile> own;
        for (const HistogramTile& tile : tiles_) {
            if ((tile.own & bit) != 0) own.push_back({tile.index, tile.level, (tile.leaf_of & bit) != 0 ? 1U : 0U});
        }
        if (own.empty()) continue;
        const LocalNames names({tracks_[track]});
        RecordFinder finder({tracks_[track]}, own, names, limits_, false, budget_);
        while (finder.next()) {}
        auto has_record = finder.has_record().begin();
        for (HistogramTile& tile : tiles_) {
            if ((tile.own & bit) != 0 && *has_record++ == 0) tile.own &= ~bit;
        }
    }
}

void HistogramWalk::begin() {
    bool has_together = false;
    for (const HistogramTile& tile : with_records()) {
        left_ |= tile.own;
        has_together = has_together || tile.together;
    }
    begin_walk(has_together);
}

// Over all tracks where they are wanted together, too; else over those that are left.
void HistogramWalk::begin_walk(bool has_together) {
    rows_.reset();
    walk_.reset();
    track_sums_.clear();
    sweeps_.clear();
    slices_.reset();
    numbers_.reset();  // before there are others
    std::vector<SliceColumns> tracks = tracks_;
    for (std::size_t track = 0; track < tracks.size(); ++track) {
        if (!has_together && (left_ >> track & 1) == 0) tracks[track] = SliceColumns();
    }
    numbers_ = std::make_unique<PairNumbers>(tracks, names_, left_, most_pairs_);
    const uint32_t apart = numbers_->apart();
    left_ &= ~apart;
    swept_ = has_together ? UINT32_MAX : apart;
    std::vector<HistogramTile> tiles = tiles_;
    for (HistogramTile& tile : tiles) {
        tile.own &= apart;
        tile.together = tile.together && has_together;
    }
    summed_ = with_those_above(tiles);
    std::size_t slices = 0;
    for (std::size_t track = 0; track < tracks_.size(); ++track) {
        if ((swept_ >> track & 1) != 0) slices += tracks_[track].size();
    }
    slices_ = std::make_unique<SliceSums>(numbers_->size(), slices);
    for (std::size_t track = 0; track < tracks_.size(); ++track) {
        sweeps_.emplace_back(tracks_[track], budget_);
        track_sums_.emplace_back(*slices_, numbers_->of_track(track));
    }
    walk_ = std::make_unique<TileWalk<NameTally>>(summed_, NameTally(*slices_));
    rows_ = std::make_unique<PairRows>(*numbers_);
}

bool HistogramWalk::next() {
    if (!walk_) begin();
    const auto sweep = [this](uint32_t tracks, int64_t start, int64_t stop, NameTally&) {
        for (std::size_t k = 0; k < sweeps_.size(); ++k) {
            if ((tracks >> k & swept_ >> k & 1) != 0) sweeps_[k].add(start, stop, track_sums_[k]);
        }
    };
    while (own_ == 0) {
        if (!walk_->next(sweep)) {
            if (left_ == 0) return false;
            begin_walk(false);
            continue;
        }
        own_ = tile().own;
        if (tile().together || own_ != 0) rows_->begin(walk_->tally().sums());
        if (!tile().together) continue;
        track_.reset();
        sums_ = rows_->together();
        return true;
    }
    track_ = static_cast<std::size_t>(__builtin_ctz(own_));
    own_ &= own_ - 1;
    sums_ = rows_->own(*track_);
    return true;
}

}  // namespace tilescope
