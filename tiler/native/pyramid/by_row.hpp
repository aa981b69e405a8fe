// The slices of a track row by row: a counting sort, which leaves those of a row in their order.
#pragma once

#include <vector>

#include "base/counted.hpp"
#include "pyramid/slice_track.hpp"

namespace tilescope {

class ByRow {
  public:
    // Every row is below `rows`. Throws ShortOfBudget.
    ByRow(const SliceColumns& slices, uint32_t rows, MemoryBudget* budget)
        : ends_(size_t{rows} + 1, 0, budget), order_(slices.size(), 0, budget) {
        // A row's end is first where the row before it begins, then where its next slice goes.
        for (size_t k = 0; k < slices.size(); ++k) ++ends_[size_t{slices.row[k]} + 1];
        for (size_t row = 1; row < ends_.size(); ++row) ends_[row] += ends_[row - 1];
        for (size_t k = 0; k < slices.size(); ++k) order_[ends_[slices.row[k]]++] = static_cast<uint32_t>(k);
    }

    // Positions of a row's slices.
    Span<const uint32_t> slices_of(uint32_t row) const {
        const size_t first = row == 0 ? 0 : ends_[row - 1];
        return Span<const uint32_t>(order_).subspan(first, ends_[row] - first);
    }

  private:
    CountedVector<uint32_t> ends_;
    CountedVector<uint32_t> order_;
};

}  // namespace tilescope
