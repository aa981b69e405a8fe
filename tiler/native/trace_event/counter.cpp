// Counter events: each numeric argument is a series of its own.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "trace_event/json_text.hpp"
#include "trace_event/member_walk.hpp"
#include "trace_event/sink.hpp"

namespace tilescope {

namespace {

enum class Sample { ok, no_number, not_finite };

Sample read_sample(const RawValue& value, double& out) {
    if (value.kind == JsonKind::object || value.kind == JsonKind::array) return Sample::no_number;
    if (value.kind == JsonKind::word && is_no_number(value.text)) return Sample::not_finite;
    const char* first = value.text.data();
    const char* last = first + value.text.size();
    if (value.kind == JsonKind::word && *first == '+') ++first;  // no JSON, but surely a number
    const auto [parsed_end, error] = std::from_chars(first, last, out);
    if (parsed_end != last || value.text.empty()) return Sample::no_number;
    if (error == std::errc::result_out_of_range || !std::isfinite(out)) return Sample::not_finite;
    return error == std::errc() ? Sample::ok : Sample::no_number;
}

// The key as text, in `scratch` where it is not so already.
std::string_view decoded_key(std::string_view key, std::string& scratch) {
    const auto is_plain = [](char c) { return static_cast<signed char>(c) >= 0 && c != '\\'; };
    const bool plain = std::all_of(key.begin(), key.end(), is_plain);
    if (plain) return key;
    scratch.clear();
    append_decoded(key, scratch);
    return scratch;
}

}  // namespace

// The arguments as they are written stay with the first sample, and with them the category: samples have no name of their own.
bool EventSink::add_counter(const EventFields& event, EventRow& row) {
    row.phase = Phase::counter;
    row.name = name_of(event);
    const std::int32_t process = tracks_.process(event.pid);
    const std::string_view name = names_.text(row.name);
    const std::string id = scalar_text(event.id);
    std::string series;
    bool any_argument = false;
    bool any_sample = false;
    if (event.args.kind == JsonKind::object) {
        for_each_member(event.args.text, [&](std::string_view key, const RawValue& value) {
            any_argument = true;
            const Sample sample = read_sample(value, row.value);
            if (sample == Sample::not_finite) ignore("counter_value_not_finite");
            if (sample == Sample::no_number) ignore(value.is_null() ? "counter_value_null" : "counter_value_no_number");
            if (sample != Sample::ok) return true;
            row.track = tracks_.of_process(process, TrackRole::counter, {name, id, decoded_key(key, series)});
            if (!any_sample) put_args_with(event, {{"tid", event.tid}, {"cat", event.cat}});
            any_sample = true;
            rows_.add(row);
            return true;
        });
    }
    if (!any_argument) ignore("counter_without_series");
    return true;
}

}  // namespace tilescope
