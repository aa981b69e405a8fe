// Sums up the flow ends of a track in the tiles of one level. The rules stand in docs/page-format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Tiles, their bins and their strongest edges, one behind the other: what tiler/records/flow_bins.py stores.
struct FlowBins {
    std::vector<std::int64_t> index, n_bins, n_edges;
    std::vector<std::int64_t> bin, out, into, other_out, other_in;
    std::vector<std::int64_t> edge_bin, edge_incoming, edge_partner, edge_count;
};

// Ends whose ticks ascend: where each is, whether it arrives (1) or leaves (0), and on which track its partner is. Of the edges
// of a tile the strongest are told apart. Beside the result it takes memory for the edges of one tile. Throws
// std::invalid_argument for what are no such ends.
FlowBins flow_bins(int level, Span<const std::int64_t> tick, Span<const std::int8_t> incoming,
                   Span<const std::int32_t> partner, std::size_t edges_per_tile);

}  // namespace tilescope
