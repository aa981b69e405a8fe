// The canonical order of a track's slices, and the rows that it gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "columns/counted.hpp"

namespace tilescope {

// Positions of the slices in the order (start, longer first, position). Empty when they are in that order already.
std::vector<int64_t> canonical_order(const int64_t* start, const int64_t* duration, size_t n);

// Gives each slice, in canonical order, the lowest row that is free at its start. For properly nested slices this is
// the nesting depth; slices that overlap partly go to extra rows. Returns how many slices outlast one that encloses
// their start. Throws std::invalid_argument when starts decrease, or times are not in [0, 2^61), ShortOfBudget when more are
// open at once than `budget` has room for.
size_t assign_rows(const int64_t* start, const int64_t* duration, size_t n, uint32_t* row,
                   MemoryBudget* budget = nullptr);

}  // namespace tilescope
