// A first look at tiles: which of them have records of names, and what each track has of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/counted.hpp"
#include "pyramid/local_names.hpp"
#include "pyramid/name_marks.hpp"
#include "pyramid/slice_track.hpp"
#include "pyramid/tile_walk.hpp"
#include "pyramid/track_sweep.hpp"
#include "pyramid/track_tally.hpp"

namespace tilescope {

// Most tiles have so many names that there are no records of them. Sums by name take much longer than to find that out, so only
// those of the others are made.
class RecordFinder {
  public:
    // Limits of a record: a tile that has one has so many events for each of its rows, which are one more than `rows`
    // at most.
    struct Limits {
        std::size_t rows;
        uint64_t events_per_row;
    };

    // `tiles` as `TileWalk` takes them; `names` and they must stay where they are. `by_track`: sums of tracks are wanted.
    RecordFinder(const std::vector<SliceColumns>& tracks, const std::vector<HistogramTile>& tiles,
                 const LocalNames& names, Limits limits, bool by_track, MemoryBudget* budget);

    // Goes on to the next tile; false: there is none, and it is known which have records.
    bool next();
    const HistogramTile& tile() const { return walk_.tile(); }
    // Sums by track, none unless they are wanted.
    NameRows track_sums() { return walk_.tally().tracks.rows(); }

    // 1 for each tile that has a record, of those that were gone through. A track does not count in a tile below a leaf
    // of its own.
    const std::vector<uint8_t>& has_record() const { return has_record_; }

  private:
    struct Tally {
        NameMarks names;
        TrackTally tracks;
        uint64_t events = 0;  // slices that start there

        Tally(std::size_t n_names, std::size_t n_tracks) : names(n_names), tracks(n_tracks) {}
        void close() {}
        void take_from(Tally& other);
    };

    bool find_by_starts(const std::vector<SliceColumns>& tracks, const std::vector<HistogramTile>& tiles,
                        const LocalNames& names);
    bool is_enough(uint64_t events, std::size_t rows) const {
        return std::min(rows, limits_.rows + 1) * limits_.events_per_row <= events;
    }
    void sweep(uint32_t tracks, int64_t start, int64_t stop, Tally& tally);

    Limits limits_;
    bool by_track_;
    std::vector<uint8_t> has_record_;
    bool needs_names_;               // all of them, to tell which have records
    std::deque<TrackSweep> sweeps_;  // of each track
    TileWalk<Tally> walk_;
};

}  // namespace tilescope
