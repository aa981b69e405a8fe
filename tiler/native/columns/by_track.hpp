// The rows of a chunk, brought together by track.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/bytes.hpp"
#include "base/span.hpp"
#include "columns/column.hpp"

namespace tilescope {

struct RowsByTrack {
    std::vector<std::uint32_t>
        order;  // the row of each place: by track, of one track as they stood; empty: as they are
    std::vector<std::int32_t> tracks;  // that have rows, by their numbers
    std::vector<std::int64_t> stops;   // where the rows of each end
};

// Throws std::length_error for more than 2**32 - 1 rows.
RowsByTrack rows_by_track(Span<const std::int32_t> track);

// The values of a column in that order. Throws std::out_of_range for rows that are not there.
template <typename T>
Column<T> in_order(Span<const T> column, const std::vector<std::uint32_t>& order) {
    Column<T> out;
    out.ensure(order.size());
    for (const std::uint32_t row : order) {
        if (row >= column.size()) throw std::out_of_range("rows that are not there");
        out.push_unchecked(column[row]);
    }
    return out;
}

struct StringsInOrder {
    Column<std::int64_t> ends;
    Column<std::uint8_t> data;
};

// String k is data[ends[k-1], ends[k]) with ends[-1] = 0. Throws std::invalid_argument unless ends grow within the data, and
// std::out_of_range for strings that are not there.
StringsInOrder strings_in_order(Span<const std::int64_t> ends, Bytes data, const std::vector<std::uint32_t>& order);

}  // namespace tilescope
