// The slices of a track row by row: a counting sort, which leaves those of a row in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/counted.hpp"
#include "base/span.hpp"

namespace tilescope {

class ByRow {
  public:
    // `in_row`: how many slices each row has. Throws ShortOfBudget.
    ByRow(Span<const uint32_t> rows, CountedVector<uint32_t> in_row, MemoryBudget* budget)
        : ends_(std::move(in_row)), order_(rows.size(), 0, budget) {
        // A row's end is first where it begins, then where its next slice goes.
        uint32_t begin = 0;
        for (uint32_t& end : ends_) begin += std::exchange(end, begin);
        for (size_t k = 0; k < rows.size(); ++k) order_[ends_[rows[k]]++] = static_cast<uint32_t>(k);
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
