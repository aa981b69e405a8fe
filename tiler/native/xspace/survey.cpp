#include "xspace/survey.hpp"

#include <algorithm>
#include <string>

#include "columns/direct_key.hpp"
#include "xspace/usual_event.hpp"

namespace tilescope::xspace {

using wire::bytes_field;
using wire::Cursor;
using wire::Range;
using wire::varint_field;

bool Surveyor::SeenIds::add_far(std::int64_t id) {
    const auto bit = static_cast<std::uint64_t>(id);
    if (bit / 64 >= max_words_) return sparse_.set(id, 0) == SparseIds::absent;
    bits_.resize(std::min(max_words_, std::max<std::size_t>(bit / 64 + 1, 2 * bits_.size())), 0);
    return add(id);
}

Surveyor::Surveyor(const wire::Source& source, const Line& line, const FlowStats& flow_stats,
                   std::size_t metadata_entries, std::size_t max_ids, std::size_t max_flows,
                   std::optional<std::int64_t> start_ns)
    : source_(source),
      line_(line),
      flow_stats_(flow_stats),
      start_ns_(start_ns),
      position_(line.body.begin),
      max_ids_(max_ids),
      max_flows_(max_flows),
      seen_(metadata_entries, line.body.size()) {}

bool Surveyor::advance(std::size_t stop) {
    Cursor cursor(source_, {position_, line_.body.end}, "line");
    while (!cursor.at_end() && cursor.offset() < stop) {
        if (take_usual_events(cursor, stop)) continue;
        const std::uint32_t tag = cursor.tag();
        switch (tag) {
        case bytes_field(4): take_event(cursor); break;
        case varint_field(1): survey_.id = cursor.signed_varint(); break;
        case bytes_field(2): survey_.name = cursor.bytes("name"); break;
        case varint_field(3): survey_.timestamp_ns = cursor.signed_varint(); break;
        case bytes_field(11): survey_.display_name = cursor.bytes("name"); break;
        case varint_field(9):
        case varint_field(10): cursor.varint(); break;
        default:
            // 5 to 8 are reserved numbers of the schema.
            if (wire::field_number(tag) <= 4 || (wire::field_number(tag) >= 9 && wire::field_number(tag) <= 11))
                cursor.fail_type(tag);
            cursor.skip(tag);
        }
    }
    position_ = cursor.offset();
    return !cursor.at_end();
}

bool Surveyor::take_usual_events(Cursor& line, std::size_t stop) {
    if (start_ns_) return false;
    return flow_stats_.empty() ? take_usual_events<false>(line, stop) : take_usual_events<true>(line, stop);
}

template <bool kFlows>
bool Surveyor::take_usual_events(Cursor& line, std::size_t stop) {
    const std::uint8_t* const begin = line.here();
    const std::uint8_t* const limit = usual_limit(begin, line.end(), line.file_end());
    const std::uint8_t* const last = std::min(limit, source_.data() + std::min(stop, source_.size()));
    LineSurvey::Many many(survey_);
    UsualEvent event{};
    UsualFlows usual_flows(source_, flow_stats_);
    const std::uint8_t* p = begin;
    while (p < last) {
        FlowValues flows;
        usual_flows.next_event();
        const auto on_stat = [&](const std::uint8_t* stat, std::uint64_t head, const std::uint8_t* stat_end) {
            if constexpr (kFlows) return usual_flows.read(stat, head, stat_end, event.end, flows);
            return true;
        };
        if (!read_usual_head(p, limit, event) || !has_usual_stats(event, on_stat)) break;
        p = event.end;
        many.see(static_cast<std::int64_t>(event.offset_ps),
                 std::max<std::int64_t>(static_cast<std::int64_t>(event.duration_ps), 0), event.stat_bytes());
        if (seen_.add(static_cast<std::int64_t>(event.metadata_id)))
            take_new_id(static_cast<std::int64_t>(event.metadata_id));
        if constexpr (kFlows)
            if (flows.present != 0) take_flows(flows);
    }
    many.done();
    line.go_to(p);
    return p != begin;
}

void Surveyor::take_event(Cursor& line) {
    FlowValues flows;
    if (flow_stats_.empty()) read_event(line, event_, [](Range) {});
    else read_event(line, event_, [&](Range stat) { flow_stats_.read(source_, stat, flows); });
    ++survey_.events;
    survey_.all_usual = false;  // those at the end of the file are, too, but nobody knows
    survey_.stat_bytes += event_.stat_bytes();
    survey_.tells_of_flows = survey_.tells_of_flows || flows.present != 0;
    if (start_ns_ && !adds_up(*start_ns_, event_.offset_ps)) {
        ++survey_.out_of_range;
        return;
    }
    survey_.see(event_.offset_ps, std::max<std::int64_t>(event_.duration_ps, 0));
    if (seen_.add(event_.metadata_id)) take_new_id(event_.metadata_id);
    take_flows(flows);
}

void Surveyor::take_new_id(std::int64_t id) {
    survey_.metadata_ids.push_back(id);
    if (survey_.metadata_ids.size() > max_ids_)
        throw wire::LimitReached("has more than " + std::to_string(max_ids_) + " names of events", position_);
}

void Surveyor::take_flows(const FlowValues& flows) {
    survey_.tells_of_flows = survey_.tells_of_flows || flows.present != 0;
    if (flows.ends()) take_flow(flows.value[consumer_type], flows.value[consumer_id]);
    if (flows.begins()) take_flow(flows.value[producer_type], flows.value[producer_id]);
}

void Surveyor::take_flow(std::uint64_t type, std::uint64_t id) {
    ++survey_.flow_ends;
    if (direct_key(type, id)) return;
    survey_.table_flows.emplace_back(type, id);
    if (survey_.table_flows.size() > max_flows_)
        throw wire::LimitReached("has more than " + std::to_string(max_flows_) + " flow ends of ids beyond 2**48",
                                 position_);
}

}  // namespace tilescope::xspace
