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
    return tiles;
}

// Whether each tile has a record, or is above one that has.
std::vector<uint8_t> with_those_above(const std::vector<HistogramTile>& tiles, std::vector<uint8_t> has_record) {
    std::vector<std::size_t> parent(tiles.size(), 0), above;
    for (std::size_t k = 0; k < tiles.size(); ++k) {
        while (!above.empty() && tiles[above.back()].level <= tiles[k].level) above.pop_back();
        if (!above.empty()) parent[k] = above.back();
        above.push_back(k);
    }
    for (std::size_t k = tiles.size(); k-- > 1;) has_record[parent[k]] |= has_record[k];
    return has_record;
}

}  // namespace

HistogramWalk::HistogramWalk(const std::vector<SliceColumns>& tracks, std::vector<HistogramTile> tiles,
                             FirstLook::Limits limits, MemoryBudget* budget,
                             const std::optional<std::vector<int32_t>>& track_names)
    : tracks_(tracks), budget_(budget), names_(tracks), tiles_(checked(std::move(tiles), tracks)) {
    look_ = std::make_unique<FirstLook>(tracks_, tiles_, names_, limits, track_names.has_value(), budget);
    if (!track_names) return;
    if (track_names->size() != tracks.size()) throw std::invalid_argument("each track has a name");
    for (std::size_t k = 1; k < track_names->size(); ++k) {
        if ((*track_names)[k - 1] >= (*track_names)[k]) throw std::invalid_argument("names of tracks ascend");
    }
    track_names_.emplace(*track_names);
}

const std::vector<uint8_t>& HistogramWalk::has_record() {
    if (!look_) return has_record_;
    while (look_->next()) {}
    has_record_ = look_->has_record();
    look_.reset();
    return has_record_;
}

void HistogramWalk::begin() {
    const std::vector<uint8_t>& has_record = this->has_record();
    const std::vector<uint8_t> is_summed = with_those_above(tiles_, has_record);
    for (std::size_t k = 0; k < tiles_.size(); ++k) {
        if (is_summed[k] == 0) continue;
        summed_.push_back(tiles_[k]);
        is_wanted_.push_back(has_record[k]);
    }
    for (const SliceColumns& slices : tracks_) sweeps_.emplace_back(slices, budget_);
    std::size_t slices = 0;
    for (const SliceColumns& of_track : tracks_) slices += of_track.size();
    slices_ = std::make_unique<SliceSums>(names_, slices);
    walk_ = std::make_unique<TileWalk<NameTally>>(summed_, NameTally(*slices_));
}

bool HistogramWalk::next() {
    if (!walk_) begin();
    const auto sweep = [this](uint32_t tracks, int64_t start, int64_t stop, NameTally&) {
        for (std::size_t k = 0; k < sweeps_.size(); ++k) {
            if ((tracks >> k & 1) != 0) sweeps_[k].add(start, stop, *slices_);
        }
    };
    while (walk_->next(sweep)) {
        if (is_wanted_[walk_->at()] != 0) return true;
    }
    return false;
}

}  // namespace tilescope
