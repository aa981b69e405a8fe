// The canonical order of a track's slices, and the rows that it gives them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/counted.hpp"
#include "base/span.hpp"

namespace tilescope {

// True if slices stand in the order (start, longer first).
bool in_canonical_order(Span<const int64_t> start, Span<const int64_t> duration);

// Writes positions of the slices in the order (start, longer first, position). `space` has kOrderSpace numbers for each.
void canonical_order(Span<const int64_t> start, Span<const int64_t> duration, Span<int64_t> order, Span<int64_t> space);

struct RowsGiven {
    uint32_t rows = 0;
    size_t overlaps = 0;  // slices that outlast one that encloses their start
};

// Gives each slice, in canonical order, the lowest row that is free at its start. For properly nested slices this is
// the nesting depth; slices that overlap partly go to extra rows. Throws std::invalid_argument when starts decrease, times are not in [0, 2^61), or columns differ in length,
// ShortOfBudget when more are open at once than `budget` has room for.
RowsGiven assign_rows(Span<const int64_t> start, Span<const int64_t> duration, Span<uint32_t> row,
                      MemoryBudget* budget = nullptr);

}  // namespace tilescope
