// Which slice encloses a moment: what the ends of flows bind to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope {

// Goes through the slices of a track, which are in canonical order, as the times that it is asked for ascend.
class InnermostSlices {
  public:
    // Columns that outlive it.
    InnermostSlices(const std::int64_t* start, const std::int64_t* duration, std::size_t n)
        : start_(start), duration_(duration), n_(n) {}

    // For each of `n_times` ascending times, the position of the innermost slice around it: of the slices with
    // start <= time < end, or of length 0 at that time, the last in canonical order; where there is none, the last of those
    // that end at that time; else -1. Begins anew when the first time is before the last one of the call before. Throws
    // std::invalid_argument when the times or the slices are not in time order.
    void find(const std::int64_t* time, std::size_t n_times, std::int64_t* slice);

  private:
    std::int64_t find(std::int64_t now);

    const std::int64_t* start_;
    const std::int64_t* duration_;
    std::size_t n_;
    std::size_t next_ = 0;
    std::int64_t before_ = INT64_MIN;  // the last time
    std::int64_t last_ended_ = -1;
    // Slices that may still be somebody's innermost. A later slice hides the earlier ones that end no later than it,
    // nested or not: so the ends grow smaller towards the top.
    std::vector<std::size_t> open_;
};

}  // namespace tilescope
