// Slack of the nodes of a graph: the time that each may wait before the last node has to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Slack of a node from which no edge leads on.
constexpr std::int64_t kEndless = INT64_MAX;

// Returns the least sum of waits on any way from each node to the last; kEndless: there is no way. Edges come by their
// sources, ascending, and each leads to a node behind its source. Throws std::invalid_argument for others, for nodes that
// are none and waits below 0; sums stop at kEndless.
std::vector<std::int64_t> least_slack(Span<const std::int64_t> source, Span<const std::int64_t> target,
                                      Span<const std::int64_t> wait, std::size_t nodes);

}  // namespace tilescope
