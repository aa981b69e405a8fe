// The flow ends that are joined to edges. The rules stand in tiler/indexing/flows/join.py; its tests hold a
// plain-Python reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Edges as positions of flow ends, those of a key together.
struct FlowEdges {
    std::vector<std::uint32_t> source;
    std::vector<std::uint32_t> target;
    std::int64_t starts_without_end = 0;
    std::int64_t ends_without_start = 0;
    std::int64_t without_key = 0;
};

// Columns of flow ends: Phase, tick, key (-1: none). The keys are dealt out to so many shares, which threads may join side by
// side: the edges of all shares, one behind the other, are those of a single one. Ends without a key count in the first.
// Beside the result it takes 4 bytes for each end of the share, and 24 for those of the most common keys. Throws
// std::length_error for 2**32 and more, std::invalid_argument for columns that differ in length, and for a share that is none.
FlowEdges join_flows(Span<const std::uint8_t> phase, Span<const std::int64_t> tick, Span<const std::int64_t> key,
                     std::size_t share, std::size_t shares);

}  // namespace tilescope
