#include "xspace/events.hpp"

#include <algorithm>

namespace tilescope::xspace {

using wire::bytes_field;
using wire::Cursor;
using wire::Range;

namespace {

constexpr std::size_t rows_per_event = 3; // the event itself, a flow's end, a flow's start
constexpr std::size_t max_varint_size = 10;
constexpr const char* changed = "the file changed while it was read";

}  // namespace

LineDecoder::LineDecoder(const wire::Source& source, const Catalogue& catalogue, const FlowStats& flow_stats,
                         const Line& line, const LineSurvey& survey, std::int64_t start_ns, std::int32_t track,
                         const EventPlaces* places)
    : source_(source),
      catalogue_(catalogue),
      flow_stats_(flow_stats),
      line_(line),
      survey_(survey),
      track_(track),
      events_left_(survey.events),
      start_ns_(start_ns),
      position_(line_.body.begin) {
    if (places != nullptr) places_.emplace(*places);
}

bool LineDecoder::next(Chunk& chunk, std::size_t max_rows, std::size_t max_args_bytes) {
    // A chunk that is smaller than it may be is never reserved larger than it can get.
    const std::size_t rows_left = static_cast<std::size_t>(events_left_) * (flow_stats_.empty() ? 1 : rows_per_event);
    chunk.reserve(std::min(max_rows - 1, rows_left) + rows_per_event);
    bool is_done = false;
    if (places_.has_value()) {
        auto& places = *places_;
        while (!places.at_end() && !is_full(chunk, max_rows, max_args_bytes)) {
            Cursor cursor(source_, {places.next(), line_.body.end}, "line");
            if (cursor.tag() != bytes_field(4)) throw wire::Error(changed, cursor.offset());
            decode_event(cursor, chunk);
            position_ = cursor.offset();
        }
        is_done = places.at_end();
    } else {
        Cursor cursor(source_, {position_, line_.body.end}, "line");
        while (!cursor.at_end() && !is_full(chunk, max_rows, max_args_bytes)) {
            const std::uint32_t tag = cursor.tag();
            if (tag == bytes_field(4)) decode_event(cursor, chunk);
            else cursor.skip(tag);
        }
        is_done = cursor.at_end();
        position_ = cursor.offset();
    }
    if (is_done && events_left_ != 0) throw wire::Error(changed, position_);
    return chunk.size() != 0;
}

bool LineDecoder::is_full(const Chunk& chunk, std::size_t max_rows, std::size_t max_args_bytes) {
    return chunk.size() >= max_rows || chunk.track.room() < rows_per_event || chunk.args.size() >= max_args_bytes;
}

void LineDecoder::decode_event(Cursor& line, Chunk& chunk) {
    FlowValues flows;
    if (flow_stats_.empty()) read_event(line, event_, [](Range) {});
    else read_event(line, event_, [&](Range stat) { flow_stats_.read(source_, stat, flows); });
    if (events_left_ == 0) throw wire::Error(changed, position_);
    --events_left_;
    if (!adds_up(start_ns_, event_.offset_ps)) return;
    if (!survey_.encloses(event_.offset_ps, std::max<std::int64_t>(event_.duration_ps, 0)))
        throw wire::Error(changed, position_);
    append_row(chunk, flows.is_step());
    if (flows.ends()) append_flow(chunk, Phase::flow_end, flows.value[consumer_type], flows.value[consumer_id]);
    if (flows.begins()) append_flow(chunk, Phase::flow_start, flows.value[producer_type], flows.value[producer_id]);
}

void LineDecoder::append_row(Chunk& chunk, bool is_step) {
    const std::int32_t number = catalogue_.number(line_.plane, event_.metadata_id);
    if (number == IdTable::absent) throw wire::Error(changed, position_);
    const NanoPico start = NanoPico::from_ps(event_.offset_ps);
    const NanoPico duration = NanoPico::from_ps(std::max<std::int64_t>(event_.duration_ps, 0));
    unsigned flags = 0;
    if (event_.duration_ps < 0) flags |= event_flag::clamped;
    if (event_.aggregated) flags |= event_flag::aggregated;
    if (is_step) flags |= event_flag::step;

    chunk.track.push_unchecked(track_);
    chunk.phase.push_unchecked(static_cast<std::uint8_t>(Phase::complete));
    chunk.time_ns.push_unchecked(start_ns_ + start.ns);
    chunk.time_ps.push_unchecked(start.ps);
    chunk.duration_ns.push_unchecked(duration.ns);
    chunk.duration_ps.push_unchecked(duration.ps);
    chunk.name.push_unchecked(catalogue_.name_of(number));
    chunk.flags.push_unchecked(static_cast<std::uint8_t>(flags));
    chunk.append_args(source_, event_, number);
    chunk.args_end.push_unchecked(static_cast<std::int64_t>(chunk.args.size()));
    if (chunk.key.size() != 0) chunk.key.push(-1);
}

// A flow end at the start of the event that was appended just before.
void LineDecoder::append_flow(Chunk& chunk, Phase phase, std::uint64_t type, std::uint64_t id) {
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
    chunk.key.push(catalogue_.flow_key(type, id));
}

void Chunk::append_args(const wire::Source& source, const Event& event, std::int32_t number) {
    std::size_t size = max_varint_size + event.stats.size();
    for (const Range& range : event.more_stats) size += range.size();
    args.ensure(size);
    auto rest = static_cast<std::uint32_t>(number);
    while (rest >= 0x80) {
        args.push_unchecked(static_cast<std::uint8_t>((rest & 0x7f) | 0x80));
        rest >>= 7;
    }
    args.push_unchecked(static_cast<std::uint8_t>(rest));
    args.append_unchecked(wire::part(source, event.stats));
    for (const Range& range : event.more_stats) args.append_unchecked(wire::part(source, range));
}

}  // namespace tilescope::xspace
