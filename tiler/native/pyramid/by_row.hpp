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
        : ends_(size_t{rows} + 1, 0, budget), order_(slices.n, 0, budget) {
        // A row's end is first where the row before it begins, then where its next slice goes.
        for (size_t k = 0; k < slices.n; ++k) ++ends_[size_t{slices.row[k]} + 1];
        for (size_t row = 1; row < ends_.size(); ++row) ends_[row] += ends_[row - 1];
        for (size_t k = 0; k < slices.n; ++k) order_[ends_[slices.row[k]]++] = static_cast<uint32_t>(k);
    }

    // Positions of a row's slices.
    const uint32_t* begin(uint32_t row) const { return order_.data() + (row == 0 ? 0 : ends_[row - 1]); }
    const uint32_t* end(uint32_t row) const { return order_.data() + ends_[row]; }

  private:
    CountedVector<uint32_t> ends_;
    CountedVector<uint32_t> order_;
};

}  // namespace tilescope
