// The records in which the histogram of a tile is stored: its sums, and its spread of durations. See docs/page-format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/span.hpp"
#include "pyramid/name_rows.hpp"

namespace tilescope {

struct HistogramRecords {
    std::string histogram;
    std::string spread;
};

// Encodes the histogram of a tile of this level, of a track or block of this number: rows with the most busy time
// first, then as they come. At most `rows` of its rows, and then one of all others, whose name is `kOtherNames`.
// `names`: by the number of a row.
HistogramRecords encode_histogram(const RowsView& sums, Span<const int32_t> names, std::size_t rows, int level,
                                  uint32_t owner);

}  // namespace tilescope
