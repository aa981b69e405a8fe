// Rounds the busy times of bins: what is seen from afar is sent with the page, what was rounded off with its residual.
#pragma once

#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

struct RoundedBusy {
    std::vector<int64_t> busy;      // multiples of the quantum
    std::vector<int64_t> residual;  // exact minus rounded
};

// The quantum is at most 1/256 of a bin and of the busiest one, and a power of two times the greatest common divisor of
// all values: what is left of nanoseconds in picosecond ticks remains whole nanoseconds. Where such a quantum does not
// exist, nothing is rounded.
//
// What is rounded off a bin is carried to the next one of its row: the sum of any first bins of a row of a tile is off
// by at most half a quantum, however many bins are nearly idle. `n_bins` are the bins of each tile, one tile after the
// other.
RoundedBusy round_busy(int level, Span<const int64_t> n_bins, Span<const uint32_t> row, Span<const int64_t> busy);

}  // namespace tilescope
