// Activity of tracks in the bins of a grid: what the overview shows before tiles are built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Busy time of a track in bins of its own, as parts of their width. Places and widths are in bins of the grid.
struct ActivityLoad {
    Span<const double> busy;
    double first = 0;  // where its bins begin
    double step = 0;   // how wide they are
};

struct ActivityBins {
    std::vector<std::int64_t> bins;         // in which there is something
    std::vector<std::uint8_t> utilisation;  // of each, 1 to 255: busy time of all tracks over their number
};

// Returns the activity in the grid's bins [0, bins). What is too short to be busy still shows where it begins.
ActivityBins activity_bins(const std::vector<ActivityLoad>& loads, std::size_t bins);

}  // namespace tilescope
