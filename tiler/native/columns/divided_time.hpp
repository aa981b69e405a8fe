// Stretches of time divided among sets of ticks: what a device does, where parts of its work hide each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"
#include "columns/windows.hpp"

namespace tilescope {

// A set of ticks that is of a part.
struct PartSet {
    TickSpansView spans;
    std::size_t part = 0;
};

struct DividedTime {
    std::vector<int64_t> ticks;    // of part p in stretch k at p * stretches + k
    std::vector<TickSpans> spans;  // of the parts from `counted` on, and at last of the ticks that no set has
};

// Each tick of the stretches [start[k], stop[k]), which ascend and share none, is of the part of the first set that has
// it. Of the first `counted` parts there are no spans. Throws std::invalid_argument for a set of another part.
DividedTime divided_time(const TickSpansView& stretches, const std::vector<PartSet>& sets, std::size_t parts,
                         std::size_t counted);

}  // namespace tilescope
