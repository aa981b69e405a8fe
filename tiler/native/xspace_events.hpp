// The second pass over an XSpace: events, line by line, into columns.
#pragma once

#include "event_codes.hpp"
#include "wire.hpp"
#include "xspace_column.hpp"
#include "xspace_outline.hpp"
#include "xspace_tables.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::xspace {

// Columns of EventChunk.
struct Chunk {
    Column<std::int32_t> track;
    Column<std::uint8_t> phase;
    Column<std::int64_t> time_ns;
    Column<std::int16_t> time_ps;
    Column<std::int64_t> duration_ns;
    Column<std::int16_t> duration_ps;
    Column<std::int32_t> name;
    Column<std::int64_t> key;  // empty while no row is a flow
    Column<std::uint8_t> flags;
    Column<std::int64_t> args_end;
    Column<std::uint8_t> args;

    std::size_t size() const { return track.size(); }

    // Room for so many rows, so that they can be appended unchecked.
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

// An event metadata that events use. Its number, the index in the decoder's list, begins the arguments of those events.
struct UsedMetadata {
    std::size_t plane = 0;
    std::int64_t id = 0;
    std::int32_t name_index = 0;
    wire::Range name;
    wire::Range display_name;
    std::vector<wire::Range> stats;  // fields with their tags
};

struct EventCounts {
    std::uint64_t events = 0;  // as written in the file
    std::uint64_t out_of_range = 0;  // of these: left out, their time does not fit in 64-bit nanoseconds
    std::uint64_t flow_ends = 0;
};

class EventDecoder {
  public:
    // `line_start_ns`: of each line of the outline, where its events' offsets count from. Both must outlive the decoder.
    EventDecoder(wire::Source source, const Outline& outline, std::vector<std::int64_t> line_start_ns);

    // Decodes until the chunk has `max_rows` rows (or two more) or `max_args_bytes` of arguments (or one event's more).
    // False when there was nothing left. Throws wire::Error.
    bool next(Chunk& chunk, std::size_t max_rows, std::size_t max_args_bytes);

    std::size_t position() const { return position_; }
    const NameTable& names() const { return names_; }
    const std::vector<UsedMetadata>& used_metadata() const { return used_; }
    const EventCounts& counts() const { return counts_; }

  private:
    // What the stats `_pt`, `_p`, `_ct`, `_c` of an event say.
    enum FlowPart : unsigned { producer_type, producer_id, consumer_type, consumer_id, flow_parts };
    struct FlowValues {
        std::uint64_t value[flow_parts];
        unsigned present = 0;  // bit per part
        bool has(FlowPart a, FlowPart b) const { return (present >> a & present >> b & 1u) != 0; }
    };
    struct FlowStat {
        std::int64_t id;  // of the stat metadata
        FlowPart part;
    };
    struct Event {
        std::int64_t metadata_id = 0;
        std::int64_t offset_ps = 0;
        std::int64_t duration_ps = 0;
        bool aggregated = false;
        wire::Range stats;  // the first run of neighbouring stats fields; further runs are in more_stats_
    };

    void enter_plane(std::size_t plane);
    bool line_events(Chunk& chunk, std::size_t max_rows, std::size_t max_args_bytes);
    void decode_event(wire::Cursor& line, Chunk& chunk);
    void append_row(Chunk& chunk, const Event& event);
    void append_flow(Chunk& chunk, Phase phase, std::uint64_t type, std::uint64_t id);
    void append_args(Chunk& chunk, std::int32_t number, wire::Range stats);
    void read_flow_stat(wire::Cursor stat, FlowValues& values) const;
    std::int32_t use_metadata(std::int64_t id);
    UsedMetadata read_metadata(std::size_t plane, const MetadataEntry* entry, std::int64_t id);

    wire::Source source_;
    const Outline& outline_;
    std::vector<std::int64_t> line_start_ns_;

    std::size_t line_ = 0;  // index of the line being read
    std::size_t position_ = 0;  // within its body
    bool line_open_ = false;

    std::optional<std::size_t> plane_;  // whose tables are below
    IdTable entry_of_;  // metadata id → index into Plane::event_metadata
    IdTable number_of_;  // metadata id → index into used_
    std::vector<FlowStat> flow_stats_;  // empty for nearly all device planes, whose stats need not be looked into then

    NameTable names_;
    FlowTable flows_;
    std::vector<UsedMetadata> used_;
    std::vector<std::int32_t> used_names_;  // their name_index, dense: it is looked up for each event
    std::vector<wire::Range> more_stats_;  // of the event being read, where other fields lie between its stats
    EventCounts counts_;
    std::uint64_t expected_events_ = 0;
};

}  // namespace tilescope::xspace
