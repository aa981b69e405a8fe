// The rows of chunks, brought together by track.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/span.hpp"
#include "columns/column.hpp"
#include "columns/pieces.hpp"

namespace tilescope {

struct RowsByTrack {
    std::vector<std::uint32_t>
        order;  // the row of each place: by track, of one track as they stood; empty: as they are
    std::vector<std::int32_t> tracks;  // that have rows, by their numbers
    std::vector<std::int64_t> stops;   // where the rows of each end
};

// Throws std::length_error for more than 2**32 - 1 rows.
RowsByTrack rows_by_track(Span<const std::int32_t> track);

// The order of so many rows that stay where they are.
std::vector<std::uint32_t> as_they_are(std::size_t rows);

// Columns of chunks, as tilescope.tiler.columns.EventChunk describes them: all but `track`.
struct SortedColumns {
    Column<std::uint8_t> phase;
    Column<std::int64_t> time_ns;
    std::optional<Column<std::int16_t>> time_ps;
    Column<std::int64_t> duration_ns;
    std::optional<Column<std::int16_t>> duration_ps;
    Column<std::int32_t> name;
    std::optional<Column<std::int64_t>> key;  // -1 where a chunk has none
    std::optional<Column<double>> value;      // not a number where a chunk has none
    Column<std::uint8_t> flags;
    Column<std::int64_t> args_end;
    Column<std::uint8_t> args;
};

// The rows of all chunks, one behind the other, in that order, which is of their numbers. Throws std::invalid_argument for
// chunks that make no sense.
SortedColumns in_order(const std::vector<ChunkPart>& chunks, const std::vector<std::uint32_t>& order);

}  // namespace tilescope
