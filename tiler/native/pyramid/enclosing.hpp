// The slice that encloses a moment: the ends of flows bind to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Goes through the slices of a track, which are in canonical order, as the times that it is asked for ascend.
class InnermostSlices {
  public:
    // Columns that outlive it. Throws std::invalid_argument when they differ in length.
    InnermostSlices(Span<const std::int64_t> start, Span<const std::int64_t> duration)
        : start_(start), duration_(duration) {
        same_size(start, duration);
    }

    // For each of some ascending times, the position of the innermost slice around it: of the slices with
    // start <= time < end, or of length 0 at that time, the last in canonical order; where there is none, the last of those
    // that end at that time; else -1. Begins anew when the first time is before the last one of the call before. Throws
    // std::invalid_argument when the times or the slices are not in time order.
    std::vector<std::int64_t> find(Span<const std::int64_t> times);

  private:
    std::int64_t find(std::int64_t now);

    Span<const std::int64_t> start_;
    Span<const std::int64_t> duration_;
    std::size_t next_ = 0;
    std::int64_t before_ = INT64_MIN;  // the last time
    std::int64_t last_ended_ = -1;
    // Slices that may still be somebody's innermost. A later slice hides the earlier ones that end no later than it,
    // nested or not: so the ends grow smaller towards the top.
    std::vector<std::size_t> open_;
};

}  // namespace tilescope
