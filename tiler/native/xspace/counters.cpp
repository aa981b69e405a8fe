#include "xspace/counters.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tilescope::xspace {

using wire::bytes_field;
using wire::Cursor;
using wire::Range;
using wire::varint_field;

namespace {

constexpr std::string_view counter_line = "_counters_";
constexpr std::size_t max_step_size = 10;  // of a varint

// The number in a stat, if it is one.
struct StatNumber {
    std::int64_t id = 0;
    std::optional<double> value;
};

// The number in a stat as nearly all are, its id and one number. False: it is to be read with more care.
bool read_number_quickly(const wire::Source& source, Range stat, StatNumber& out) {
    constexpr std::size_t before_value = 3;
    const std::uint8_t *p = source.data() + stat.begin, *end = source.data() + stat.end;
    if (stat.size() <= before_value || p[0] != varint_field(1) || p[1] >= 0x80) return false;
    std::uint64_t bits = 0;
    switch (p[2]) {
    case wire::fixed64_field(2): {
        if (stat.size() != before_value + sizeof(double)) return false;
        double value = 0;
        bits = wire::eight_bytes(p + before_value);
        std::memcpy(&value, &bits, sizeof(value));
        out.value = value;
        break;
    }
    case varint_field(3):
    case varint_field(4):
        if (wire::quick_varint(p + before_value, end, source.end(), bits) != end) return false;
        out.value =
            p[2] == varint_field(3) ? static_cast<double>(bits) : static_cast<double>(static_cast<std::int64_t>(bits));
        break;
    default: return false;
    }
    out.id = p[1];
    return true;
}

StatNumber read_number(const wire::Source& source, Range stat) {
    StatNumber number;
    if (read_number_quickly(source, stat, number)) return number;
    try {
        Cursor cursor(source, stat, "stat");
        while (!cursor.at_end()) {
            const std::uint32_t tag = cursor.tag();
            switch (tag) {
            case varint_field(1): number.id = cursor.signed_varint(); break;
            case wire::fixed64_field(2): number.value = cursor.fixed_double(); break;
            case varint_field(3): number.value = static_cast<double>(cursor.varint()); break;
            case varint_field(4): number.value = static_cast<double>(cursor.signed_varint()); break;
            case bytes_field(5):
            case bytes_field(6):
            case varint_field(7):
                cursor.skip(tag);
                number.value.reset();  // a oneof: the last one counts
                break;
            default: cursor.skip(tag);
            }
        }
    } catch (const wire::Error&) {
        number.value.reset();  // a stat that cannot be decoded does not lose its event
    }
    return number;
}

std::size_t find_series(const std::vector<CounterSeries>& series, std::int32_t name_index, std::int64_t stat_id) {
    const auto same = [&](const CounterSeries& candidate) {
        return candidate.stat_id == stat_id && candidate.name_index == name_index;
    };
    const auto match = std::find_if(series.begin(), series.end(), same);
    return match == series.end() ? no_series : static_cast<std::size_t>(match - series.begin());
}

}  // namespace

bool is_counter_line(const wire::Source& source, const LineSurvey& survey) {
    return wire::text(source, survey.display_name) == counter_line || wire::text(source, survey.name) == counter_line;
}

void EventPlaces::add(std::size_t offset) {
    std::size_t step = offset - last_;
    last_ = offset;
    steps_.ensure(max_step_size);
    for (; step >= 0x80; step >>= 7) steps_.push_unchecked(static_cast<std::uint8_t>((step & 0x7f) | 0x80));
    steps_.push_unchecked(static_cast<std::uint8_t>(step));
}

std::size_t EventPlaces::Walk::next() {
    std::size_t step = 0;
    std::uint8_t byte = 0x80;
    for (unsigned shift = 0; (byte & 0x80) != 0; shift += 7) {
        byte = places_->steps_.data()[next_++];
        step |= static_cast<std::size_t>(byte & 0x7f) << shift;
    }
    offset_ += step;
    return offset_;
}

std::size_t CounterLine::size_bytes() const {
    std::size_t bytes = rest_places.size_bytes();
    for (const CounterSeries& counter : series) bytes += counter.places.size_bytes();
    return bytes;
}

bool CounterRules::read(Cursor& line, Event& event) {
    if (line.tag() != bytes_field(4)) return false;
    read_event(line, event, [](Range) {});
    return true;
}

bool CounterRules::stays_slice(const Event& event) const {
    if (event.aggregated) return true;
    if (flow_stats_.empty()) return false;
    FlowValues flows;
    event.for_each_stat(source_, [&](Range stat) { flow_stats_.read(source_, stat, flows); });
    return flows.ends() || flows.begins() || flows.is_step();
}

std::int32_t CounterRules::name_index(const Event& event) const {
    const std::int32_t number = catalogue_.number(plane_, event.metadata_id);
    return number == IdTable::absent ? number : catalogue_.name_of(number);
}

template <typename SeriesOf>
EventSamples CounterRules::samples_by(const Event& event, SeriesOf&& series_of) const {
    EventSamples samples;
    if (stays_slice(event)) return samples;
    event.for_each_stat(source_, [&](Range range) {
        const StatNumber stat = read_number(source_, range);
        if (!stat.value) return;
        if (!std::isfinite(*stat.value)) {
            ++samples.not_finite;
            return;
        }
        const std::size_t series = series_of(stat.id);
        if (series == no_series) {
            ++samples.beyond;
            return;
        }
        if (samples.first == no_series) samples.first = series;
        samples.present.set(series);
        samples.value.at(series) = *stat.value;
    });
    return samples;
}

EventSamples CounterRules::samples(const Event& event, const std::vector<CounterSeries>& series) const {
    const std::int32_t name = name_index(event);
    return samples_by(event, [&](std::int64_t stat_id) { return find_series(series, name, stat_id); });
}

EventSamples CounterRules::samples_growing(const Event& event, std::vector<CounterSeries>& series) const {
    const std::int32_t name = name_index(event);
    return samples_by(event, [&](std::int64_t stat_id) {
        const std::size_t existing = find_series(series, name, stat_id);
        if (existing != no_series || series.size() == max_series) return existing;
        series.emplace_back();
        series.back().name_index = name;
        series.back().stat_id = stat_id;
        return series.size() - 1;
    });
}

CounterLine split_counters(const wire::Source& source, const Line& line, const LineSurvey& survey,
                           const CounterRules& rules, std::int64_t start_ns, std::size_t max_bytes,
                           std::size_t per_series) {
    CounterLine split;
    split.rest.id = survey.id;
    split.rest.timestamp_ns = survey.timestamp_ns;
    split.rest.name = survey.name;
    split.rest.display_name = survey.display_name;
    split.rest.flow_ends = survey.flow_ends;
    Event event;
    std::size_t kept_bytes = 0;
    const auto keep = [&](EventPlaces& places, std::size_t offset) {
        const std::size_t before = places.size_bytes();
        places.add(offset);
        kept_bytes += places.size_bytes() - before;
        if (kept_bytes + per_series * split.series.size() > max_bytes)
            throw wire::LimitReached("has too many samples of counters", offset);
    };
    Cursor cursor(source, line.body, "line");
    while (!cursor.at_end()) {
        const std::size_t offset = cursor.offset();
        const std::uint32_t tag = cursor.tag();
        if (tag != bytes_field(4)) {
            cursor.skip(tag);
            continue;
        }
        read_event(cursor, event, [](Range) {});
        const bool in_range = adds_up(start_ns, event.offset_ps);
        const EventSamples samples = in_range ? rules.samples_growing(event, split.series) : EventSamples();
        split.not_finite += samples.not_finite;
        if (samples.present.none()) {
            if (samples.beyond != 0) ++split.beyond_events;
            ++split.rest.events;
            if (in_range) split.rest.see(event.offset_ps, std::max<std::int64_t>(event.duration_ps, 0));
            else ++split.rest.out_of_range;
            keep(split.rest_places, offset);
            continue;
        }
        ++split.sampled;
        split.beyond_numbers += samples.beyond;
        if (event.duration_ps != 0) ++split.lasting;
        for (std::size_t k = 0; k < split.series.size(); ++k) {
            if (!samples.present.test(k)) continue;
            CounterSeries& series = split.series[k];
            ++series.survey.events;
            series.survey.see(event.offset_ps, 0);
            keep(series.places, offset);
        }
    }
    return split;
}

}  // namespace tilescope::xspace
