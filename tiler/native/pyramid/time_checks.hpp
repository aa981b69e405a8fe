// Checks that the times of events are those that a run can have: columns come from outside, and are looked at before
// any shift.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "base/span.hpp"
#include "pyramid/geometry.hpp"

namespace tilescope {

// Throws std::invalid_argument.
inline void check_times(Span<const int64_t> time) {
    for (size_t k = 0; k < time.size(); ++k) {
        if (time[k] < 0 || time[k] >= kTimeLimit) throw std::invalid_argument("times are not in [0, 2**61)");
        if (k > 0 && time[k] < time[k - 1]) throw std::invalid_argument("events are not in time order");
    }
}

// Slices, one after the other. It takes note of what is wrong without a branch, so that it can be done on the way of something
// else; what stands there is to be trusted when `throw_if_wrong` has returned.
class SliceTimes {
  public:
    void add(int64_t start, int64_t duration) {
        // The highest bit of what must not be negative.
        constexpr uint64_t last = static_cast<uint64_t>(kTimeLimit) - 1;
        const auto begin = static_cast<uint64_t>(start);
        const auto length = static_cast<uint64_t>(duration);
        wrong_ |= begin | length | (begin - before_) | (last - begin) | (last - begin - length);
        before_ = begin;
    }

    // `start`: of all that were added. Throws std::invalid_argument.
    void throw_if_wrong(Span<const int64_t> start) const {
        if (wrong_ >> 63 == 0) return;
        check_times(start);
        throw std::invalid_argument("slices end beyond 2**61");
    }

  private:
    uint64_t before_ = 0;
    uint64_t wrong_ = 0;
};

}  // namespace tilescope
