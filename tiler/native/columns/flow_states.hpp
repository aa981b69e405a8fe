// States of slices that have a number and that flows of a file join to others: by the number they are not joined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"
#include "columns/numbered_slices.hpp"

namespace tilescope {

// Flows of a file: of each end its track and the ordinal of its slice (-1: none), and the edges between ends.
struct FileFlows {
    Span<const std::int32_t> track;
    Span<const std::int64_t> ordinal;
    Span<const std::uint32_t> source, target;
    Span<const std::uint8_t> is_on_device;  // by track
};

// States of the slices of all tracks, by place of the track and row of the slice.
class FlowStates {
  public:
    // A flow leads from a launch to it, or from it to work with a number.
    static constexpr std::uint8_t kJoined = 1;
    // A flow joins it to the other side, whatever that has.
    static constexpr std::uint8_t kPaired = 2;

    // Memory: a byte for each slice, and meanwhile one for each end, and two bits for each ordinal of tracks of which not all
    // slices have a number; none without flows. Throws std::invalid_argument for edges between ends that there are not.
    FlowStates(Span<const NumberedSlices> tracks, const FileFlows& flows);

    // True without flows: 0 everywhere.
    bool is_empty() const { return states_.empty(); }
    std::uint8_t at(std::size_t place, std::size_t row) const { return states_.empty() ? 0 : states_[place][row]; }

  private:
    std::vector<std::vector<std::uint8_t>> states_;  // empty: 0 everywhere
};

}  // namespace tilescope
