// The third pass over an XSpace, for lines of slices alone: straight into the columns that their track is built from, with
// times in ticks and names by their numbers in the run. Lines are decoded in any order, side by side.
#pragma once

#include "base/span.hpp"
#include "xspace/catalogue.hpp"
#include "xspace/correlation.hpp"
#include "xspace/event.hpp"
#include "xspace/flows.hpp"
#include "xspace/outline.hpp"
#include "xspace/survey.hpp"
#include "xspace/wire.hpp"

#include <cstddef>
#include <cstdint>

namespace tilescope::xspace {

// From a file's nanoseconds to ticks: `per_ns` of them, 1 or 1000, from `from_ns` on, all modulo 2**64.
struct TickScale {
    std::uint64_t from_ns = 0;
    std::uint64_t per_ns = 1;
    bool rounds = false;  // whether picoseconds are dropped: ends are rounded down then, as starts are
};

// Room that slices are written to, in the order of the file: a row for each of them, and bytes for the arguments of
// all.
struct SliceRoom {
    Span<std::int64_t> start;
    Span<std::int64_t> duration;
    Span<std::int32_t> name;
    Span<std::uint8_t> flags;
    Span<std::int64_t> args_end;
    Span<std::uint8_t> args;
    Span<std::int64_t> key;  // by the correlation; empty: nobody asks
};

// The same for the flow ends among them. `slice` is the row that each belongs to.
struct FlowEndRoom {
    Span<std::uint8_t> phase;
    Span<std::int64_t> tick;
    Span<std::int64_t> key;
    Span<std::int64_t> slice;
};

// The most bytes that the arguments of a line take.
std::size_t args_room(const Catalogue& catalogue, const LineSurvey& survey);

class LineSlices {
  public:
    // `start_ns`: where the line's offsets count from; `names`: of the catalogue's names their numbers in the run. All that is
    // referred to must outlive it. Throws std::invalid_argument for rooms of other sizes than the survey has counted.
    LineSlices(const wire::Source& source, const Catalogue& catalogue, const FlowStats& flow_stats, const Line& line,
               const LineSurvey& survey, std::int64_t start_ns, TickScale scale, Span<const std::int32_t> names,
               SliceRoom slices, CorrelationKeys keys, FlowEndRoom flow_ends);

    // Decodes until the position is at least `stop`; true while there is more. Throws wire::Error, also when these are not the
    // events that were surveyed.
    bool advance(std::size_t stop);

    std::size_t position() const { return position_; }
    std::size_t args_bytes() const { return args_bytes_; }

  private:
    // The purpose for which stats are looked at. None are where the survey has seen that they are nothing but stats.
    enum class Look { at_none, at_stats, at_flows };

    bool take_usual_events(wire::Cursor& line, std::size_t stop);
    template <Look kLook>
    bool take_usual_events(wire::Cursor& line, std::size_t stop);
    void take_event(wire::Cursor& line);
    std::uint8_t* args_at(std::size_t stat_bytes, std::int32_t number);
    void write_args(const std::uint8_t* stats, std::size_t stat_bytes, std::int32_t number);
    wire::Source args_of_row() const;
    void write_row(std::int32_t number, std::int64_t offset_ps, std::int64_t duration_ps, unsigned flags);
    void write_flow_ends(const FlowValues& flows);
    void write_flow_end(std::uint8_t phase, std::uint64_t type, std::uint64_t id);
    std::int64_t start_tick(std::int64_t offset_ps) const;
    std::int64_t duration_ticks(std::int64_t offset_ps, std::int64_t duration_ps) const;

    const wire::Source& source_;
    const Catalogue& catalogue_;
    const FlowStats& flow_stats_;
    const Line& line_;
    const LineSurvey& survey_;
    std::int64_t start_ns_;
    TickScale scale_;
    std::uint64_t line_ticks_;  // where the line's offsets count from
    Span<const std::int32_t> names_;
    SliceRoom slices_;
    CorrelationKeys keys_;
    FlowEndRoom flow_ends_;
    std::size_t position_;
    std::uint64_t events_left_;
    std::size_t row_ = 0;
    std::size_t flow_row_ = 0;
    std::size_t args_bytes_ = 0;
    Event event_;
};

}  // namespace tilescope::xspace
