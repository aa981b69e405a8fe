#include "xspace/slices.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "columns/event_codes.hpp"

namespace tilescope::xspace {

using wire::bytes_field;
using wire::Cursor;
using wire::Range;

namespace {

constexpr const char* changed = "the file changed while it was read";

// Most arguments are shorter: they are copied in one step, with what lies behind them.
constexpr std::size_t short_args = 32;

std::size_t varint_size(std::size_t value) {
    std::size_t size = 1;
    for (; value > 0x7f; value >>= 7) ++size;
    return size;
}

}  // namespace

std::size_t args_room(const Catalogue& catalogue, const LineSurvey& survey) {
    const std::size_t events = static_cast<std::size_t>(survey.events - survey.out_of_range);
    return survey.stat_bytes + events * varint_size(catalogue.used_metadata().size());
}

LineSlices::LineSlices(const wire::Source& source, const Catalogue& catalogue, const FlowStats& flow_stats,
                       const Line& line, const LineSurvey& survey, std::int64_t start_ns, TickScale scale,
                       Span<const std::int32_t> names, SliceRoom slices, FlowEndRoom flow_ends)
    : source_(source),
      catalogue_(catalogue),
      flow_stats_(flow_stats),
      line_(line),
      survey_(survey),
      start_ns_(start_ns),
      scale_(scale),
      line_ticks_((static_cast<std::uint64_t>(start_ns) - scale.from_ns) * scale.per_ns),
      names_(names),
      slices_(slices),
      flow_ends_(flow_ends),
      position_(line.body.begin),
      events_left_(survey.events) {
    if (same_size(slices.start, slices.duration, slices.name, slices.flags, slices.args_end) !=
            survey.events - survey.out_of_range ||
        slices.args.size() < args_room(catalogue, survey))
        throw std::invalid_argument("columns have another size than the slices of the line");
    if (same_size(flow_ends.phase, flow_ends.tick, flow_ends.key, flow_ends.slice) != survey.flow_ends)
        throw std::invalid_argument("columns have another size than the flow ends of the line");
    if (names.size() < catalogue.names().names().size()) throw std::invalid_argument("names without a number");
    if (scale.per_ns != 1 && scale.per_ns != 1000) throw std::invalid_argument("a tick is 1 ps or 1 ns");
}

bool LineSlices::advance(std::size_t stop) {
    Cursor cursor(source_, {position_, line_.body.end}, "line");
    while (!cursor.at_end() && cursor.offset() < stop) {
        const std::uint32_t tag = cursor.tag();
        if (tag == bytes_field(4)) take_event(cursor);
        else cursor.skip(tag);
    }
    position_ = cursor.offset();
    if (cursor.at_end() && (events_left_ != 0 || row_ != slices_.start.size() || flow_row_ != flow_ends_.phase.size()))
        throw wire::Error(changed, position_);
    return !cursor.at_end();
}

void LineSlices::take_event(Cursor& line) {
    FlowValues flows;
    if (!survey_.tells_of_flows) read_event(line, event_, [](Range) {});
    else read_event(line, event_, [&](Range stat) { flow_stats_.read(source_, stat, flows); });
    if (events_left_ == 0) throw wire::Error(changed, position_);
    --events_left_;
    if (!adds_up(start_ns_, event_.offset_ps)) return;
    const std::int64_t duration_ps = std::max<std::int64_t>(event_.duration_ps, 0);
    const std::int32_t number = catalogue_.number(line_.plane, event_.metadata_id);
    if (row_ == slices_.start.size() || number == IdTable::absent || !survey_.encloses(event_.offset_ps, duration_ps))
        throw wire::Error(changed, position_);
    unsigned flags = 0;
    if (event_.duration_ps < 0) flags |= event_flag::clamped;
    if (event_.aggregated) flags |= event_flag::aggregated;
    if (flows.is_step()) flags |= event_flag::step;
    slices_.start[row_] = start_tick();
    slices_.duration[row_] = duration_ticks(duration_ps);
    slices_.name[row_] = names_[static_cast<std::size_t>(catalogue_.name_of(number))];
    slices_.flags[row_] = static_cast<std::uint8_t>(flags);
    write_args(number);
    slices_.args_end[row_] = static_cast<std::int64_t>(args_bytes_);
    ++row_;
    if (flows.ends())
        write_flow_end(static_cast<std::uint8_t>(Phase::flow_end), flows.value[consumer_type],
                       flows.value[consumer_id]);
    if (flows.begins())
        write_flow_end(static_cast<std::uint8_t>(Phase::flow_start), flows.value[producer_type],
                       flows.value[producer_id]);
}

std::int64_t LineSlices::start_tick() const {
    const std::int64_t offset = scale_.per_ns == 1 ? NanoPico::of(event_.offset_ps).ns : event_.offset_ps;
    return static_cast<std::int64_t>(line_ticks_ + static_cast<std::uint64_t>(offset));
}

std::int64_t LineSlices::duration_ticks(std::int64_t duration_ps) const {
    if (scale_.per_ns != 1) return duration_ps;
    const NanoPico duration = NanoPico::of(duration_ps);
    return scale_.rounds ? duration.ns + (NanoPico::of(event_.offset_ps).ps + duration.ps) / 1000 : duration.ns;
}

// The number of the metadata, and the stats as they lie in the file.
void LineSlices::write_args(std::int32_t number) {
    const std::size_t size = event_.stat_bytes() + varint_size(static_cast<std::size_t>(number));
    if (slices_.args.size() - args_bytes_ < size) throw wire::Error(changed, position_);
    std::uint8_t* out = slices_.args.data() + args_bytes_;
    args_bytes_ += size;
    auto rest = static_cast<std::uint32_t>(number);
    for (; rest >= 0x80; rest >>= 7) *out++ = static_cast<std::uint8_t>((rest & 0x7f) | 0x80);
    *out++ = static_cast<std::uint8_t>(rest);
    const auto copy = [&](Range range) {
        const std::uint8_t* from = source_.data() + range.begin;
        if (range.size() <= short_args && source_.size() - range.begin >= short_args &&
            slices_.args.end() - out >= static_cast<std::ptrdiff_t>(short_args))
            std::memcpy(out, from, short_args);
        else if (range.size() != 0) std::memcpy(out, from, range.size());
        out += range.size();
    };
    copy(event_.stats);
    for (const Range& range : event_.more_stats) copy(range);
}

// A flow end at the start of the slice that was written just before.
void LineSlices::write_flow_end(std::uint8_t phase, std::uint64_t type, std::uint64_t id) {
    if (flow_row_ == flow_ends_.phase.size()) throw wire::Error(changed, position_);
    flow_ends_.phase[flow_row_] = phase;
    flow_ends_.tick[flow_row_] = slices_.start[row_ - 1];
    flow_ends_.key[flow_row_] = catalogue_.flow_key(type, id);
    flow_ends_.slice[flow_row_] = static_cast<std::int64_t>(row_ - 1);
    ++flow_row_;
}

}  // namespace tilescope::xspace
