// Events of one track that lie in many chunks: joined to columns on the time axis of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/span.hpp"

namespace tilescope {

// A part of a chunk, as tilescope.tiler.columns.EventChunk describes its columns.
struct ChunkPart {
    Span<const std::uint8_t> phase;
    Span<const std::int64_t> time_ns;
    std::optional<Span<const std::int16_t>> time_ps;
    Span<const std::int64_t> duration_ns;
    std::optional<Span<const std::int16_t>> duration_ps;
    Span<const std::int32_t> name;
    std::optional<Span<const std::int64_t>> key;
    std::optional<Span<const double>> value;
    Span<const std::uint8_t> flags;
    Span<const std::int64_t> args_end;
    Bytes args;
    std::size_t start = 0;  // rows [start, stop) of them
    std::size_t stop = 0;

    // Throws std::invalid_argument unless columns are as long as each other, and rows and arguments lie in them.
    void check() const;
    std::size_t rows() const { return stop - start; }
    std::size_t args_begin() const { return start == 0 ? 0 : static_cast<std::size_t>(args_end[start - 1]); }
    std::size_t args_bytes() const {
        return rows() == 0 ? 0 : static_cast<std::size_t>(args_end[stop - 1]) - args_begin();
    }
};

// The axis on which times of a file become ticks.
struct TickAxis {
    std::uint64_t from_ns;  // the nanosecond of tick 0, modulo 2**64
    bool picoseconds;       // ticks are picoseconds, else nanoseconds
    bool rounds;            // picoseconds are dropped, from starts and from ends
};

struct JoinedColumns {
    Span<std::uint8_t> phase;
    Span<std::int64_t> start;
    Span<std::int64_t> duration;
    Span<std::int32_t> name;
    std::optional<Span<std::int64_t>> key;  // -1 where the chunk has none
    std::optional<Span<double>> value;      // not a number where the chunk has none
    Span<std::uint8_t> flags;
    Span<std::int64_t> args_end;
    Span<std::uint8_t> args;
};

// Writes rows and arguments of a part from row `first_row` and byte `args_at` on. `names` are those of the run by the
// numbers of the file, with that of no name (-1) behind them. Throws std::invalid_argument for rows that do not fit, or
// names that are not there.
void join_part(const ChunkPart& part, const TickAxis& axis, Span<const std::int32_t> names, const JoinedColumns& out,
               std::size_t first_row, std::size_t args_at);

}  // namespace tilescope
