// The records in which the histogram of a tile is stored: its sums, and its spread of durations. See docs/page-format.md.
#pragma once

#include <cstdint>
#include <string>

#include "pyramid/histogram.hpp"

namespace tilescope {

struct HistogramRecords {
    std::string histogram;
    std::string spread;
};

// Of a tile of this level, of a track or block of this number. Of sums of ticks the low 64 bits are stored.
HistogramRecords encode_histogram(const HistogramRows& rows, int level, uint32_t owner);

}  // namespace tilescope
