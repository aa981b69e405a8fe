// Sums per name of tiles: how often, how long, how long in itself, the longest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/counted.hpp"
#include "pyramid/first_look.hpp"
#include "pyramid/local_names.hpp"
#include "pyramid/name_sweep.hpp"
#include "pyramid/name_tally.hpp"
#include "pyramid/slice_sums.hpp"
#include "pyramid/slice_track.hpp"
#include "pyramid/tile_walk.hpp"

namespace tilescope {

// The histograms of tiles, one after the other, children before parents: of some tracks together, or of one. Memory: the
// tables of one tile per level.
class HistogramWalk {
  public:
    static constexpr std::size_t kTracks = 32;

    // `tiles` as `TileWalk` takes them. Throws std::invalid_argument when they are not so, or there are more than kTracks.
    // `track_names`: one of each track, ascending; slices are summed up by them, too.
    HistogramWalk(const std::vector<SliceColumns>& tracks, std::vector<HistogramTile> tiles, FirstLook::Limits limits,
                  MemoryBudget* budget = nullptr,
                  const std::optional<std::vector<int32_t>>& track_names = std::nullopt);
    HistogramWalk(const HistogramWalk&) = delete;
    HistogramWalk& operator=(const HistogramWalk&) = delete;

    // Goes on to the next tile by track; false: there is none.
    bool next_by_track() { return look_ && look_->next(); }
    const HistogramTile& tile_by_track() const { return look_->tile(); }
    // Its sums, none unless they are wanted, and what the numbers of tracks stand for there.
    NameRows track_sums() { return look_->track_sums(); }
    const std::optional<LocalNames>& track_names() const { return track_names_; }

    // Of each tile, whether it has a record by name: asks for all that are left by track.
    const std::vector<uint8_t>& has_record();

    // Goes on to the next tile that has a record; false: there is none.
    bool next();
    const HistogramTile& tile() const { return walk_->tile(); }
    const LocalNames& names() const { return names_; }
    // Its sums.
    const NameRows& sums() { return walk_->tally().sums(); }

  private:
    void begin();

    std::vector<SliceColumns> tracks_;
    MemoryBudget* budget_;
    LocalNames names_;
    std::optional<LocalNames> track_names_;
    std::vector<HistogramTile> tiles_;
    std::unique_ptr<FirstLook> look_;  // until all is known
    std::vector<uint8_t> has_record_;

    // Those that have records, and what is above them.
    std::vector<HistogramTile> summed_;
    std::vector<uint8_t> is_wanted_;
    std::deque<NameSweep> sweeps_;  // of each track
    std::unique_ptr<SliceSums> slices_;
    std::unique_ptr<TileWalk<NameTally>> walk_;
};

}  // namespace tilescope
