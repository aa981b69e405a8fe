// Buckets of durations: for quantiles that are right to one per cent. See docs/page-format.md.
#pragma once

#include <cstdint>

namespace tilescope {

// The durations from 0 to 2**61 - 1, in order. Throws std::out_of_range for others.
uint32_t duration_bucket(int64_t duration);

// How many there are.
uint32_t duration_buckets();

}  // namespace tilescope
