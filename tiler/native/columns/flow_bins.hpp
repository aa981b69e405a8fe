// Sums up the flow ends of a track in tiles. The rules stand in docs/page-format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Tiles of one level, their bins and their strongest edges, one behind the other: what tiler/records/flow_bins.py stores.
struct FlowBins {
    std::vector<std::int64_t> index, n_bins, n_edges;
    std::vector<std::int64_t> bin, out, into;
    std::vector<std::int64_t> edge_bin, edge_incoming, edge_partner, edge_count;
};

// Ends whose ticks ascend: where each is, whether it arrives (1) or leaves (0), and on which track its partner is. Of the two
// latter there may be one value, which is that of all ends.
struct FlowEndColumns {
    Span<const std::int64_t> tick;
    Span<const std::int8_t> incoming;
    Span<const std::int32_t> partner;
    Span<const std::int64_t> flow_tick;  // of those that are flows of the file
};

// A tile with more ends than this has tiles below; and how many of a tile's edges are told apart.
struct FlowTileLimits {
    std::size_t flows = 0;
    std::size_t ends = 0;  // of flows and launches together
    std::size_t edges = 0;
};

// Makes the tiles of a track. Ends are looked at once, in the tiles that have none below; those above are the sums of
// their four parts. Where all are alike, most of a bin are counted without a look. The columns are the caller's.
class FlowTiler {
  public:
    // Throws std::invalid_argument for columns that differ in length, and for a level that there is not.
    FlowTiler(const FlowEndColumns& ends, int root_level, const FlowTileLimits& limits);

    // Tiles that are complete after `most_ends` more ends, rounded up to a tile: by level, in order. False: there are none.
    // Memory: what it returns, and the edges of a tile of each level. Throws std::invalid_argument for what are no such
    // ends.
    bool read(std::size_t most_ends, std::vector<FlowBins>& levels);

  private:
    // Ends of one bin that are alike.
    struct Edge {
        std::uint64_t key;  // direction and partner, in this order
        std::int64_t count;
    };
    struct TileEdge {
        std::size_t bin;
        Edge edge;
    };
    struct OpenTile {
        std::int64_t index = 0;
        std::size_t stop = 0;  // of its ends
        bool has_tiles_below = false;
        std::vector<TileEdge> edges;  // by bin, then by key
    };
    class BinEdges;

    void open(std::size_t level);
    void sum_ends(std::size_t level);
    void close(std::size_t level, FlowBins& out);
    void write(const OpenTile& tile, FlowBins& out) const;

    FlowEndColumns ends_;
    bool all_alike_;
    FlowTileLimits limits_;
    std::vector<OpenTile> open_;  // by level; from `lowest_` on they are open
    std::size_t lowest_;
    std::size_t next_ = 0;  // end
    std::int64_t before_ = 0;  // tick of the end before
};

}  // namespace tilescope
