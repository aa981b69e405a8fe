// Sums per name of tiles: how often, how long, how long in itself, the longest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/counted.hpp"
#include "pyramid/local_names.hpp"
#include "pyramid/name_sweep.hpp"
#include "pyramid/name_tally.hpp"
#include "pyramid/pair_numbers.hpp"
#include "pyramid/pair_rows.hpp"
#include "pyramid/record_finder.hpp"
#include "pyramid/slice_sums.hpp"
#include "pyramid/slice_track.hpp"
#include "pyramid/tile_walk.hpp"

namespace tilescope {

// The histograms of tiles, one after the other, children before parents: of some tracks together, and of each by itself. Where
// tracks have many names each, that of some is left for another walk over their slices. Memory: the tables of one tile per level.
class HistogramWalk {
  public:
    static constexpr std::size_t kTracks = 32;

    // So many pairs of a track and a name are told apart at once, and those of one track more. With 60,000 names on each of 32 tracks,
    // 400,000 slices each, a walk takes 0.25 GB; without a limit 0.66 GB, and longer (2026-11-26).
    static constexpr std::size_t kMostPairs = std::size_t{1} << 18;

    // `tiles` as `TileWalk` takes them, and of these the ones that are wanted of all tracks together, or of a track by itself, too.
    // Throws std::invalid_argument when they are not so, or there are more than kTracks.
    // `track_names`: one of each track, ascending; slices are summed up by them, too.
    HistogramWalk(const std::vector<SliceColumns>& tracks, std::vector<HistogramTile> tiles,
                  RecordFinder::Limits limits, MemoryBudget* budget = nullptr,
                  const std::optional<std::vector<int32_t>>& track_names = std::nullopt,
                  std::size_t most_pairs = kMostPairs);
    HistogramWalk(const HistogramWalk&) = delete;
    HistogramWalk& operator=(const HistogramWalk&) = delete;

    // Goes on to the next tile by track, of those that are wanted of all together; false: there is none.
    bool next_by_track() { return finder_ && finder_->next(); }
    const HistogramTile& tile_by_track() const { return finder_->tile(); }
    // Its sums, none unless they are wanted, and what the numbers of tracks stand for there.
    NameRows track_sums() { return finder_->track_sums(); }
    const std::optional<std::vector<int32_t>>& track_names() const { return track_names_; }

    // The tiles as they were given, wanted only where they have a record by name: asks for all that are left by track.
    const std::vector<HistogramTile>& with_records();

    // Goes on to the next record; false: there is none.
    bool next();
    const HistogramTile& tile() const { return walk_->tile(); }
    // Whose it is: none, of all tracks together.
    std::optional<std::size_t> track() const { return track_; }
    // Its sums, and the names that numbers stand for there.
    const RowsView& sums() const { return sums_; }
    Span<const int32_t> names() const { return numbers_->names(); }

  private:
    void look_at_each();
    void begin();
    void begin_walk(bool has_together);

    std::vector<SliceColumns> tracks_;
    RecordFinder::Limits limits_;
    MemoryBudget* budget_;
    LocalNames names_;
    std::optional<std::vector<int32_t>> track_names_;
    std::vector<HistogramTile> tiles_;
    std::vector<HistogramTile> together_;  // of these the ones that are wanted of all tracks
    std::unique_ptr<RecordFinder> finder_;  // until all is known

    // Tracks, as bits, that have records of their own: those that are gone through now, and those that are left.
    uint32_t swept_ = 0, left_ = 0;
    std::size_t most_pairs_;

    // Tiles that have such records, and what is above them.
    std::vector<HistogramTile> summed_;
    std::unique_ptr<PairNumbers> numbers_;
    std::deque<NameSweep> sweeps_;  // of each track
    std::unique_ptr<SliceSums> slices_;
    std::vector<TrackSums> track_sums_;
    std::unique_ptr<TileWalk<NameTally>> walk_;
    std::unique_ptr<PairRows> rows_;

    // The tracks that are left of the tile, and the track that it is at now.
    uint32_t own_ = 0;
    std::optional<std::size_t> track_;
    RowsView sums_;
};

}  // namespace tilescope
