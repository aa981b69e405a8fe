#include "xspace/slices.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "columns/event_codes.hpp"
#include "xspace/usual_event.hpp"

namespace tilescope::xspace {

using wire::bytes_field;
using wire::Cursor;
using wire::Range;

namespace {

constexpr const char* changed = "the file changed while it was read";

// Most arguments are shorter: they are copied in one step, with what lies behind them. Most numbers of metadata are, too.
constexpr std::size_t short_args = usual_margin, short_number = 2;

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
                       Span<const std::int32_t> names, SliceRoom slices, CorrelationKeys keys, FlowEndRoom flow_ends)
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
      keys_(std::move(keys)),
      flow_ends_(flow_ends),
      position_(line.body.begin),
      events_left_(survey.events) {
    if (same_size(slices.start, slices.duration, slices.name, slices.flags, slices.args_end) !=
            survey.events - survey.out_of_range ||
        slices.args.size() < args_room(catalogue, survey) ||
        (!slices.key.empty() && slices.key.size() != slices.start.size()))
        throw std::invalid_argument("columns have another size than the slices of the line");
    if (same_size(flow_ends.phase, flow_ends.tick, flow_ends.key, flow_ends.slice) != survey.flow_ends)
        throw std::invalid_argument("columns have another size than the flow ends of the line");
    if (names.size() < catalogue.names().size()) throw std::invalid_argument("names without a number");
    if (scale.per_ns != 1 && scale.per_ns != 1000) throw std::invalid_argument("a tick is 1 ps or 1 ns");
}

bool LineSlices::advance(std::size_t stop) {
    Cursor cursor(source_, {position_, line_.body.end}, "line");
    while (!cursor.at_end() && cursor.offset() < stop) {
        if (take_usual_events(cursor, stop)) continue;
        const std::uint32_t tag = cursor.tag();
        if (tag == bytes_field(4)) take_event(cursor);
        else cursor.skip(tag);
    }
    position_ = cursor.offset();
    if (cursor.at_end() && (events_left_ != 0 || row_ != slices_.start.size() || flow_row_ != flow_ends_.phase.size()))
        throw wire::Error(changed, position_);
    return !cursor.at_end();
}

bool LineSlices::take_usual_events(Cursor& line, std::size_t stop) {
    if (!always_adds_up(start_ns_)) return false;
    if (survey_.tells_of_flows) return take_usual_events<Look::at_flows>(line, stop);
    return survey_.all_usual ? take_usual_events<Look::at_none>(line, stop)
                             : take_usual_events<Look::at_stats>(line, stop);
}

// Takes events up to one that is not as it was surveyed, which is left to `take_event`: that says so.
template <LineSlices::Look kLook>
bool LineSlices::take_usual_events(Cursor& line, std::size_t stop) {
    constexpr bool kFlows = kLook == Look::at_flows;
    const std::uint8_t* const begin = line.here();
    const std::uint8_t* const limit = usual_limit(begin, line.end(), line.file_end());
    const std::uint8_t* const last = std::min(limit, source_.data() + std::min(stop, source_.size()));
    const std::uint8_t* p = begin;
    const IdTable& numbers = catalogue_.numbers(line_.plane);
    const std::size_t first_row = row_;
    const std::size_t end_row = row_ + std::min<std::size_t>(events_left_, slices_.start.size() - row_);
    UsualEvent event{};
    UsualFlows usual_flows(source_, flow_stats_);
    while (p < last && row_ != end_row) {
        FlowValues flows;
        usual_flows.next_event();
        const auto on_stat = [&](const std::uint8_t* stat, std::uint64_t head, const std::uint8_t* stat_end) {
            if constexpr (kFlows) return usual_flows.read(stat, head, stat_end, event.end, flows);
            return true;
        };
        if (!read_usual_head(p, limit, event)) break;
        if (kLook != Look::at_none && !has_usual_stats(event, on_stat)) break;
        const auto offset_ps = static_cast<std::int64_t>(event.offset_ps);
        const auto written_ps = static_cast<std::int64_t>(event.duration_ps);
        const std::int64_t duration_ps = std::max<std::int64_t>(written_ps, 0);
        const std::int32_t number = numbers.find(static_cast<std::int64_t>(event.metadata_id));
        if (number == IdTable::absent || !survey_.encloses(offset_ps, duration_ps)) break;
        write_args(event.stats, event.stat_bytes(), number);
        unsigned flags = written_ps < 0 ? event_flag::clamped : 0;
        if constexpr (kFlows)
            if (flows.is_step()) flags |= event_flag::step;
        if (!slices_.key.empty()) slices_.key[row_] = keys_.key(event.stats, event.stat_bytes(), args_of_row());
        write_row(number, offset_ps, duration_ps, flags);
        if constexpr (kFlows)
            if (flows.present != 0) write_flow_ends(flows);
        p = event.end;
    }
    events_left_ -= row_ - first_row;
    line.go_to(p);
    return p != begin;
}

void LineSlices::take_event(Cursor& line) {
    FlowValues flows;
    if (!survey_.tells_of_flows) read_event(line, event_, [](Range) {});
    else read_event(line, event_, [&](Range stat) { flow_stats_.read(source_, stat, flows); });
    if (events_left_ == 0) throw wire::Error(changed, position_);
    --events_left_;
    if (!adds_up(start_ns_, event_.offset_ps)) return;
    const std::int64_t duration_ps = std::max<std::int64_t>(event_.duration_ps, 0);
    const std::int32_t number = catalogue_.numbers(line_.plane).find(event_.metadata_id);
    if (row_ == slices_.start.size() || number == IdTable::absent || !survey_.encloses(event_.offset_ps, duration_ps))
        throw wire::Error(changed, position_);
    std::uint8_t* out = args_at(event_.stat_bytes(), number);
    const auto copy = [&](Range range) {
        if (range.size() != 0) std::memcpy(out, source_.data() + range.begin, range.size());
        out += range.size();
    };
    copy(event_.stats);
    for (const Range& range : event_.more_stats) copy(range);
    unsigned flags = 0;
    if (event_.duration_ps < 0) flags |= event_flag::clamped;
    if (event_.aggregated) flags |= event_flag::aggregated;
    if (flows.is_step()) flags |= event_flag::step;
    if (!slices_.key.empty()) slices_.key[row_] = keys_.key(args_of_row().data(), args_of_row().size(), 0);
    write_row(number, event_.offset_ps, duration_ps, flags);
    write_flow_ends(flows);
}

// The arguments that were written last: those of the row that comes next.
inline wire::Source LineSlices::args_of_row() const {
    const std::size_t begin = row_ == 0 ? 0 : static_cast<std::size_t>(slices_.args_end[row_ - 1]);
    return {slices_.args.data() + begin, args_bytes_ - begin};
}

// Behind its arguments, which are written before.
inline void LineSlices::write_row(std::int32_t number, std::int64_t offset_ps, std::int64_t duration_ps,
                                  unsigned flags) {
    slices_.start[row_] = start_tick(offset_ps);
    slices_.duration[row_] = duration_ticks(offset_ps, duration_ps);
    slices_.name[row_] = names_[static_cast<std::size_t>(catalogue_.name_of(number))];
    slices_.flags[row_] = static_cast<std::uint8_t>(flags);
    slices_.args_end[row_] = static_cast<std::int64_t>(args_bytes_);
    ++row_;
}

inline std::int64_t LineSlices::start_tick(std::int64_t offset_ps) const {
    const std::int64_t offset = scale_.per_ns == 1 ? NanoPico::from_ps(offset_ps).ns : offset_ps;
    return static_cast<std::int64_t>(line_ticks_ + static_cast<std::uint64_t>(offset));
}

inline std::int64_t LineSlices::duration_ticks(std::int64_t offset_ps, std::int64_t duration_ps) const {
    if (scale_.per_ns != 1) return duration_ps;
    const NanoPico duration = NanoPico::from_ps(duration_ps);
    return scale_.rounds ? duration.ns + (NanoPico::from_ps(offset_ps).ps + duration.ps) / 1000 : duration.ns;
}

// Writes the number of the metadata. Returns where the stats are to be written behind it, as they lie in the file.
inline std::uint8_t* LineSlices::args_at(std::size_t stat_bytes, std::int32_t number) {
    const std::size_t size = stat_bytes + varint_size(static_cast<std::size_t>(number));
    if (slices_.args.size() - args_bytes_ < size) throw wire::Error(changed, position_);
    std::uint8_t* out = slices_.args.data() + args_bytes_;
    args_bytes_ += size;
    auto rest = static_cast<std::uint32_t>(number);
    for (; rest >= 0x80; rest >>= 7) *out++ = static_cast<std::uint8_t>((rest & 0x7f) | 0x80);
    *out++ = static_cast<std::uint8_t>(rest);
    return out;
}

// Writes stats, too, that lie side by side and have `usual_margin` bytes behind them. How many bytes the number has is not
// foreseen, so nothing branches on it.
inline void LineSlices::write_args(const std::uint8_t* stats, std::size_t stat_bytes, std::int32_t number) {
    if (slices_.args.size() - args_bytes_ < short_number + short_args || stat_bytes > short_args ||
        number >= 1 << (7 * short_number)) {
        std::uint8_t* const out = args_at(stat_bytes, number);
        if (stat_bytes != 0) std::memcpy(out, stats, stat_bytes);
        return;
    }
    std::uint8_t* const out = slices_.args.data() + args_bytes_;
    const auto rest = static_cast<unsigned>(number);
    const unsigned more = rest > 0x7f ? 1 : 0;
    out[0] = static_cast<std::uint8_t>((rest & 0x7f) | more << 7);
    out[1] = static_cast<std::uint8_t>(rest >> 7);
    std::memcpy(out + 1 + more, stats, short_args);
    args_bytes_ += 1 + more + stat_bytes;
}

void LineSlices::write_flow_ends(const FlowValues& flows) {
    if (flows.ends())
        write_flow_end(static_cast<std::uint8_t>(Phase::flow_end), flows.value[consumer_type],
                       flows.value[consumer_id]);
    if (flows.begins())
        write_flow_end(static_cast<std::uint8_t>(Phase::flow_start), flows.value[producer_type],
                       flows.value[producer_id]);
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
