// Counts of many kinds of events in each of many windows: what programs are made of, step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// The events [first[k], last[k]) of a track start in window `window[k]`. Windows may have events in common.
struct EventRanges {
    Span<const std::int64_t> first, last, window;
};

// Kinds of a track as they are counted: the place of each, and 1 in `is_timed` for those whose own time is counted,
// too; no column where there are none.
struct CountedKinds {
    Span<const std::int64_t> place;
    Span<const std::uint8_t> is_timed;
};

// Operations that follow each other, from event `first` on.
struct FollowingOperations {
    std::int64_t first = 0;
    Span<const std::int64_t> kind;
    Span<const std::int64_t> parent, duration;  // where kinds are timed; -1: no parent
};

class WindowCounts {
  public:
    using Time = __int128;

    // Throws std::invalid_argument for more counts than memory has room for.
    WindowCounts(std::size_t windows, std::size_t places);

    // Adds operations, but not the time of those with the ordinals `left_out`, which ascend. Throws std::invalid_argument
    // for kinds, places and windows that there are not, and columns of different lengths.
    void add(const FollowingOperations& operations, const EventRanges& ranges, const CountedKinds& kinds,
             Span<const std::int64_t> left_out);

    // Adds those of another one. Throws std::invalid_argument where it has others windows or places.
    void merge(const WindowCounts& other);

    // By window, then by place.
    const std::vector<std::int64_t>& counts() const { return counts_; }

    // By window: the time that timed kinds take themselves.
    const std::vector<Time>& times() const { return times_; }

  private:
    void check(const FollowingOperations& operations, const EventRanges& ranges, const CountedKinds& kinds) const;
    static Time timed(const FollowingOperations& operations, std::size_t begin, std::size_t end,
                      const CountedKinds& kinds);

    std::size_t windows_, places_;
    std::vector<std::int64_t> counts_;
    std::vector<Time> times_;
};

}  // namespace tilescope
