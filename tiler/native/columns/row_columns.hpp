// The columns that the rows of a chunk have whatever the format. Their meaning: tilescope.tiler.columns.EventChunk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "columns/column.hpp"

namespace tilescope {

struct RowColumns {
    Column<std::int32_t> track;
    Column<std::uint8_t> phase;
    Column<std::int64_t> time_ns;
    Column<std::int16_t> time_ps;
    Column<std::int64_t> duration_ns;
    Column<std::int16_t> duration_ps;
    Column<std::int32_t> name;
    Column<std::int64_t> key;
    Column<std::uint8_t> flags;
    Column<std::int64_t> args_end;

    std::size_t size() const { return track.size(); }

    // Room for so many more rows, so that they can be appended unchecked: in all columns but `key`.
    void reserve(std::size_t rows) {
        track.ensure(rows);
        phase.ensure(rows);
        time_ns.ensure(rows);
        time_ps.ensure(rows);
        duration_ns.ensure(rows);
        duration_ps.ensure(rows);
        name.ensure(rows);
        flags.ensure(rows);
        args_end.ensure(rows);
    }
};

}  // namespace tilescope
