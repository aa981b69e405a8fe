// The tile tree of a rollup: every slice of several tracks, summed into bins.
#pragma once

#include "pyramid/kept_slices.hpp"
#include "pyramid/overview.hpp"
#include "pyramid/slice_track.hpp"

namespace tilescope {

// A tile that goes on behind a span, so far.
struct OpenTile {
    Tile tile;
    std::vector<Bin> bins;
};

// The part of a rollup that is built: slices that start before it are looked at for what they have of it.
struct RollupSpan {
    int64_t start = 0;
    int64_t stop = INT64_MAX;
};

// Built in one sweep over the children's slices, depth first: a terminal tile sums what overlaps
// it, a bin above adds up the name tables of four bins, and only the tables on the way to the root are in memory. Slices
// that cover a bin are in no table: they are known once for all bins that they cover. Rollups have no individuals: slices of different tracks overlap, so a bin's busy time may exceed its width.
class RollupTrack final : public TrackTiles {
  public:
    // A tile in which at most so many slices start has no children: finer tiles would cost more than the tracks' own, which
    // say more. The root alone always has some: the overview layer is made of the tiles below it. With 16,384 the rollups
    // of 10 M events took 1.6 times as long, and their pages three times as much.
    static constexpr size_t kTerminalSlices = 65536;

    // A rollup of more slices counts in 64 bits: it takes longer.
    static constexpr uint64_t kNarrowSlices = UINT32_MAX;

    // Slices that are open at once are taken from `budget`: ShortOfBudget.
    // A span that is less than all begins and ends at cuts.
    RollupTrack(const std::vector<const KeptSlices*>& children, int root_level, RollupSpan span = {},
                MemoryBudget* budget = nullptr, size_t terminal_slices = kTerminalSlices,
                uint64_t narrow_slices = kNarrowSlices);

    // Times, ascending, at which a rollup may be cut into so many parts of about as many slices, which are built side by side.
    // Fewer where slices are not spread so.
    static std::vector<int64_t> cuts(const std::vector<const KeptSlices*>& children, int root_level, size_t parts,
                                     size_t terminal_slices = kTerminalSlices);

    // Adds the part behind the cut, with all that is behind that one.
    void join(const RollupTrack& later);

    const std::vector<Tile>& tiles() const override { return tiles_; }
    void append(const Tile& tile, PageColumns& page) const override;
    size_t weight(const Tile& tile) const override;

    // Its part of the overview layer, from the tiles of this level, which is the root's or the one below. `lanes` is the
    // number of rows of all children.
    std::vector<OverviewBin> overview(int level, int64_t lanes) const;

  private:
    std::vector<Tile> tiles_;
    std::vector<std::pair<size_t, size_t>> contents_;  // range of bins_, by Tile::content
    std::vector<Bin> bins_;
    std::vector<OpenTile> open_tiles_;
};

}  // namespace tilescope
