// Which slice encloses a moment: what the ends of flows bind to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilescope {

// For each of `n_times` ascending times, the position of the innermost slice around it: of the slices with
// start <= time < end, or of length 0 at that time, the last in canonical order; where there is none, the last of those
// that end at that time; else -1. Slices are in canonical order. Throws std::invalid_argument when either is not in
// time order.
void innermost_slices(const std::int64_t* start, const std::int64_t* duration, std::size_t n, const std::int64_t* time,
                      std::size_t n_times, std::int64_t* slice);

}  // namespace tilescope
