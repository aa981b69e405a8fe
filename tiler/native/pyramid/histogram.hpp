// Sums per name of tiles: how often, how long, how long in itself, the longest.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "base/counted.hpp"
#include "pyramid/local_names.hpp"
#include "pyramid/name_sweep.hpp"
#include "pyramid/name_tally.hpp"
#include "pyramid/slice_track.hpp"
#include "pyramid/track_tally.hpp"

namespace tilescope {

struct HistogramTile {
    int64_t index;
    uint8_t level;
    uint32_t leaf_of;  // tracks, as bits: none of its children is wanted of them
};

// The histograms of tiles, one after the other, children before parents: of some tracks together, or of one. Memory: the
// tables of one tile per level.
class HistogramWalk {
  public:
    static constexpr std::size_t kTracks = 32;

    // `tiles`: in the order (start, higher level first). The first contains all others, and each that is not the first
    // has its parent among them. Throws std::invalid_argument when they are not so, or there are more than kTracks.
    // `track_names`: one of each track, ascending; slices are summed up by them, too.
    HistogramWalk(const std::vector<SliceColumns>& tracks, std::vector<HistogramTile> tiles,
                  MemoryBudget* budget = nullptr,
                  const std::optional<std::vector<int32_t>>& track_names = std::nullopt);

    // Goes on to the next tile; false: there is none.
    bool next();

    const HistogramTile& tile() const { return open_[depth_].tile; }
    const LocalNames& names() const { return names_; }
    // How many names it has, and how many slices start in it. What tracks have in the tile does not count where a tile
    // above is a leaf of theirs.
    std::size_t rows() { return open_[depth_].tally.rows(); }
    uint64_t events() const { return open_[depth_].tally.events(); }
    // Its sums.
    const NameRows& sums();

    // Sums by track, none unless they are wanted, and what the numbers of tracks stand for there.
    NameRows track_sums() const { return open_[depth_].tracks_tally.rows(); }
    const std::optional<LocalNames>& track_names() const { return track_names_; }

  private:
    struct Open {
        HistogramTile tile{};
        uint32_t tracks = 0;  // those that it counts
        int next_child = 0;
        NameTally tally;
        TrackTally tracks_tally;

        Open(const LocalNames& names, std::size_t tracks) : tally(names), tracks_tally(tracks) {}
    };

    void open(const HistogramTile& tile, uint32_t tracks);
    void sweep(uint32_t tracks, int64_t start, int64_t stop, Open& tile);
    bool is_next(int level, int64_t index) const;

    void hand_up();

    LocalNames names_;
    std::optional<LocalNames> track_names_;
    std::deque<NameSweep> sweeps_;  // of each track
    std::vector<HistogramTile> tiles_;
    size_t at_ = 0;
    std::deque<Open> open_;  // the first depth_ are in work, and that at depth_ is the tile that was finished last
    size_t depth_ = 0;
    bool finished_ = false;  // there is such a tile
    std::optional<NameRows> sums_;  // of it, when they have been asked for
};

}  // namespace tilescope
