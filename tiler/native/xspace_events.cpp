#include "xspace_events.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace tilescope::xspace {

using wire::bytes_field;
using wire::Cursor;
using wire::Range;
using wire::varint_field;

namespace {

constexpr std::size_t rows_per_event = 3; // the event itself, a flow's end, a flow's start
constexpr std::size_t max_varint_size = 10;

std::string_view text(const wire::Source& source, Range range) {
    return {reinterpret_cast<const char*>(source.data) + range.begin, range.size()};
}

// Picoseconds as whole nanoseconds and the rest, 0 to 999.
struct NanoPico {
    std::int64_t ns;
    std::int16_t ps;
};

NanoPico split(std::int64_t ps) {
    std::int64_t ns = ps / 1000;
    std::int64_t rest = ps % 1000;
    if (rest < 0) {
        rest += 1000;
        --ns;
    }
    return {ns, static_cast<std::int16_t>(rest)};
}

bool adds_up(std::int64_t a, std::int64_t b) {
    using limits = std::numeric_limits<std::int64_t>;
    return b >= 0 ? a <= limits::max() - b : a >= limits::min() - b;
}

}  // namespace

EventDecoder::EventDecoder(wire::Source source, const Outline& outline, std::vector<std::int64_t> line_start_ns)
    : source_(source), outline_(outline), line_start_ns_(std::move(line_start_ns)) {
    for (const Line& line : outline.lines) expected_events_ += line.events;
}

bool EventDecoder::next(Chunk& chunk, std::size_t max_rows, std::size_t max_args_bytes) {
    // A chunk that is smaller than it may be is never reserved larger than it can get.
    const std::size_t rows_left = static_cast<std::size_t>(expected_events_ - counts_.events) * rows_per_event;
    chunk.reserve(std::min(max_rows - 1, rows_left) + rows_per_event);
    while (line_ < outline_.lines.size()) {
        const Line& line = outline_.lines[line_];
        if (!line_open_) {
            position_ = line.body.begin;
            line_open_ = true;
            if (line.events != 0 && plane_ != line.plane) enter_plane(line.plane);
        }
        if (line.events != 0 && !line_events(chunk, max_rows, max_args_bytes)) return true;
        line_open_ = false;
        ++line_;
    }
    return chunk.size() != 0;
}

// True at the end of the line, false when the chunk is full before it.
bool EventDecoder::line_events(Chunk& chunk, std::size_t max_rows, std::size_t max_args_bytes) {
    Cursor cursor(source_, {position_, outline_.lines[line_].body.end}, "line");
    while (!cursor.at_end()) {
        if (chunk.size() >= max_rows || chunk.track.room() < rows_per_event || chunk.args.size() >= max_args_bytes) {
            position_ = cursor.offset();
            return false;
        }
        const std::uint32_t tag = cursor.tag();
        if (tag == bytes_field(4))
            decode_event(cursor, chunk);
        else
            cursor.skip(tag);
    }
    position_ = cursor.offset();
    return true;
}

void EventDecoder::decode_event(Cursor& line, Chunk& chunk) {
    Cursor cursor = line.message("event");
    Event event;
    FlowValues flows;
    more_stats_.clear();
    while (!cursor.at_end()) {
        const std::size_t begin = cursor.offset();
        const std::uint32_t tag = cursor.tag();
        switch (tag) {
        case varint_field(1): event.metadata_id = cursor.signed_varint(); break;
        case varint_field(2):
            event.offset_ps = cursor.signed_varint();
            event.aggregated = false; // a oneof: the last one counts
            break;
        case varint_field(3): event.duration_ps = cursor.signed_varint(); break;
        case bytes_field(4): {
            const Range stat = cursor.bytes("stat");
            if (!flow_stats_.empty()) read_flow_stat(Cursor(source_, stat, "stat"), flows);
            wire::Range& run = more_stats_.empty() ? event.stats : more_stats_.back();
            if (run.end == begin)
                run.end = stat.end;
            else if (run.end == 0)
                run = {begin, stat.end};
            else
                more_stats_.push_back({begin, stat.end});
            break;
        }
        case varint_field(5):
            cursor.varint();
            event.offset_ps = 0;
            event.aggregated = true;
            break;
        default: cursor.skip_unknown(tag, 5);
        }
    }

    ++counts_.events;
    if (!adds_up(line_start_ns_[line_], split(event.offset_ps).ns)) {
        ++counts_.out_of_range;
        return;
    }
    append_row(chunk, event);
    if (flow_stats_.empty()) return;
    if (flows.has(consumer_type, consumer_id))
        append_flow(chunk, Phase::flow_end, flows.value[consumer_type], flows.value[consumer_id]);
    if (flows.has(producer_type, producer_id))
        append_flow(chunk, Phase::flow_start, flows.value[producer_type], flows.value[producer_id]);
}

void EventDecoder::append_row(Chunk& chunk, const Event& event) {
    const std::int32_t number = use_metadata(event.metadata_id);
    const NanoPico start = split(event.offset_ps);
    const NanoPico duration = split(std::max<std::int64_t>(event.duration_ps, 0));
    unsigned flags = 0;
    if (event.duration_ps < 0) flags |= event_flag::clamped;
    if (event.aggregated) flags |= event_flag::aggregated;

    chunk.track.push_unchecked(static_cast<std::int32_t>(line_));
    chunk.phase.push_unchecked(static_cast<std::uint8_t>(Phase::complete));
    chunk.time_ns.push_unchecked(line_start_ns_[line_] + start.ns);
    chunk.time_ps.push_unchecked(start.ps);
    chunk.duration_ns.push_unchecked(duration.ns);
    chunk.duration_ps.push_unchecked(duration.ps);
    chunk.name.push_unchecked(used_names_[static_cast<std::size_t>(number)]);
    chunk.flags.push_unchecked(static_cast<std::uint8_t>(flags));
    append_args(chunk, number, event.stats);
    chunk.args_end.push_unchecked(static_cast<std::int64_t>(chunk.args.size()));
    if (chunk.key.size() != 0) chunk.key.push(-1);
}

// A flow end at the start of the event that was appended just before.
void EventDecoder::append_flow(Chunk& chunk, Phase phase, std::uint64_t type, std::uint64_t id) {
    const std::size_t last = chunk.size() - 1;
    if (chunk.key.size() == 0) {
        chunk.key.ensure(chunk.size() + 1);
        for (std::size_t i = 0; i <= last; ++i) chunk.key.push_unchecked(-1);
    }
    chunk.track.push_unchecked(chunk.track.data()[last]);
    chunk.phase.push_unchecked(static_cast<std::uint8_t>(phase));
    chunk.time_ns.push_unchecked(chunk.time_ns.data()[last]);
    chunk.time_ps.push_unchecked(chunk.time_ps.data()[last]);
    chunk.duration_ns.push_unchecked(0);
    chunk.duration_ps.push_unchecked(0);
    chunk.name.push_unchecked(chunk.name.data()[last]);
    chunk.flags.push_unchecked(0);
    chunk.args_end.push_unchecked(chunk.args_end.data()[last]);
    chunk.key.push(flows_.intern(type, id));
    ++counts_.flow_ends;
}

void EventDecoder::append_args(Chunk& chunk, std::int32_t number, Range stats) {
    std::size_t size = max_varint_size + stats.size();
    for (const Range& range : more_stats_) size += range.size();
    chunk.args.ensure(size);
    auto rest = static_cast<std::uint32_t>(number);
    while (rest >= 0x80) {
        chunk.args.push_unchecked(static_cast<std::uint8_t>((rest & 0x7f) | 0x80));
        rest >>= 7;
    }
    chunk.args.push_unchecked(static_cast<std::uint8_t>(rest));
    chunk.args.append_unchecked(source_.data + stats.begin, stats.size());
    for (const Range& range : more_stats_) chunk.args.append_unchecked(source_.data + range.begin, range.size());
}

void EventDecoder::read_flow_stat(Cursor cursor, FlowValues& values) const {
    std::int64_t id = 0;
    std::optional<std::uint64_t> value;
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        switch (tag) {
        case varint_field(1): id = cursor.signed_varint(); break;
        case varint_field(3):
        case varint_field(4): value = cursor.varint(); break;
        default: cursor.skip(tag);
        }
    }
    if (!value) return;
    for (const FlowStat& stat : flow_stats_)
        if (stat.id == id) {
            values.value[stat.part] = *value;
            values.present |= 1u << stat.part;
        }
}

void EventDecoder::enter_plane(std::size_t index) {
    const Plane& plane = outline_.planes[index];
    plane_ = index;
    entry_of_ = IdTable(plane.event_metadata.size());
    number_of_ = IdTable(plane.event_metadata.size());
    for (std::size_t i = 0; i < plane.event_metadata.size(); ++i)
        entry_of_.set(plane.event_metadata[i].id, static_cast<std::int32_t>(i));

    flow_stats_.clear();
    for (const MetadataEntry& entry : plane.stat_metadata) {
        const auto same_id = [&](const FlowStat& stat) { return stat.id == entry.id; };
        flow_stats_.erase(std::remove_if(flow_stats_.begin(), flow_stats_.end(), same_id), flow_stats_.end());
        const std::string_view name = text(source_, stat_metadata_name(source_, entry.value));
        if (name == "_pt") flow_stats_.push_back({entry.id, producer_type});
        if (name == "_p") flow_stats_.push_back({entry.id, producer_id});
        if (name == "_ct") flow_stats_.push_back({entry.id, consumer_type});
        if (name == "_c") flow_stats_.push_back({entry.id, consumer_id});
    }
}

// The number of a metadata id of the current plane, given on first use; ids without metadata get one too.
std::int32_t EventDecoder::use_metadata(std::int64_t id) {
    const std::int32_t known = number_of_.find(id);
    if (known != IdTable::absent) return known;
    const std::int32_t index = entry_of_.find(id);
    const Plane& plane = outline_.planes[*plane_];
    const MetadataEntry* entry = index == IdTable::absent ? nullptr : &plane.event_metadata[static_cast<std::size_t>(index)];
    const auto number = static_cast<std::int32_t>(used_.size());
    used_.push_back(read_metadata(*plane_, entry, id));
    used_names_.push_back(used_.back().name_index);
    number_of_.set(id, number);
    return number;
}

UsedMetadata EventDecoder::read_metadata(std::size_t plane, const MetadataEntry* entry, std::int64_t id) {
    UsedMetadata used;
    used.plane = plane;
    used.id = id;
    if (entry != nullptr) {
        Cursor cursor(source_, entry->value, "event metadata");
        while (!cursor.at_end()) {
            const std::size_t begin = cursor.offset();
            const std::uint32_t tag = cursor.tag();
            switch (tag) {
            case bytes_field(2): used.name = cursor.bytes("name"); break;
            case bytes_field(4): used.display_name = cursor.bytes("name"); break;
            case bytes_field(5): used.stats.push_back({begin, cursor.bytes("stat").end}); break;
            default: cursor.skip(tag);
            }
        }
    }
    std::string_view name = text(source_, used.display_name.size() != 0 ? used.display_name : used.name);
    used.name_index = names_.intern(name.empty() ? "[no name]" : name);
    return used;
}

}  // namespace tilescope::xspace
