// The third pass over an XSpace: the events of a line, into columns. Lines are decoded in any order, side by side.
#pragma once

#include "columns/event_codes.hpp"
#include "columns/row_columns.hpp"
#include "xspace/catalogue.hpp"
#include "xspace/counters.hpp"
#include "xspace/event.hpp"
#include "xspace/flows.hpp"
#include "xspace/outline.hpp"
#include "xspace/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tilescope::xspace {

// The key column is empty while no row is a flow, the value column where no row is a sample.
struct Chunk : RowColumns {
    Column<double> value;
    Column<std::uint8_t> args;

    // The arguments of an event, whose metadata has this number, behind all others.
    void append_args(const wire::Source& source, const Event& event, std::int32_t number);
};

class LineDecoder {
  public:
    // `start_ns`: where the line's offsets count from; `track`: what its rows are said to be of; `places`: the events that
    // are wanted, or null for all. All that is referred to must outlive the decoder.
    LineDecoder(const wire::Source& source, const Catalogue& catalogue, const FlowStats& flow_stats, const Line& line,
                const LineSurvey& survey, std::int64_t start_ns, std::int32_t track, const EventPlaces* places);

    // Decodes until the chunk has `max_rows` rows (or two more) or `max_args_bytes` of arguments (or one event's more).
    // False when there was nothing left. Throws wire::Error, also when these are not the events that were surveyed:
    // whoever takes the columns may rely on their number and on their times.
    bool next(Chunk& chunk, std::size_t max_rows, std::size_t max_args_bytes);

    std::size_t position() const { return position_; }

  private:
    static bool is_full(const Chunk& chunk, std::size_t max_rows, std::size_t max_args_bytes);
    void decode_event(wire::Cursor& line, Chunk& chunk);
    void append_row(Chunk& chunk, bool is_step);
    void append_flow(Chunk& chunk, Phase phase, std::uint64_t type, std::uint64_t id);

    const wire::Source& source_;
    const Catalogue& catalogue_;
    const FlowStats& flow_stats_;
    const Line& line_;
    const LineSurvey& survey_;
    std::int32_t track_;
    std::optional<EventPlaces::Walk> places_;
    std::uint64_t events_left_;
    std::int64_t start_ns_;
    std::size_t position_;
    Event event_;
};

}  // namespace tilescope::xspace
