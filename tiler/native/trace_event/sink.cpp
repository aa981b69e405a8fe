#include "trace_event/sink.hpp"

#include <utility>

#include "trace_event/correlation.hpp"
#include "trace_event/json_text.hpp"

namespace tilescope {

namespace {

constexpr std::string_view no_name = "[no name]";

// Category of what an export writes of derived lanes (tiler/export/derived_lanes.py): no events of a trace.
constexpr std::string_view derived_lane = "tilescope.derived_lane";

constexpr std::size_t chunk_rows = std::size_t{1} << 18;
constexpr std::size_t chunk_args_bytes = std::size_t{32} << 20;

// The letter of the phase, 0 when there is none.
char letter(const RawValue& ph) {
    if (!ph.is_string() || ph.text.size() != 1) return 0;
    const char c = ph.text.front();
    return c > ' ' && c < 127 ? c : '\0';
}

// The reason why an event of that phase makes no row; empty for the phases that do.
std::string_view unshown(char phase) {
    switch (phase) {
    case 'N': return "object_created";
    case 'O': return "object_snapshot";
    case 'D': return "object_deleted";
    case 'c': return "clock_sync";
    case 'v':
    case 'V': return "memory_dump";
    default: return {};
    }
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view spaces = " \t\r\n";
    const std::size_t first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

// A time as a number, or as a string that holds one.
DecimalStatus read_in(TimeUnit unit, const RawValue& value, PicoTime& out) {
    const auto parse = [&](std::string_view text) {
        return unit == TimeUnit::nanoseconds ? parse_nanoseconds(text, out) : parse_microseconds(text, out);
    };
    if (value.kind == JsonKind::number) return parse(value.text);
    if (!value.is_string()) return DecimalStatus::malformed;
    if (!value.escaped) return parse(trimmed(value.text));
    std::string text;  // some writers put a tab behind the digits
    append_decoded(value.text, text);
    return parse(trimmed(text));
}

bool is_true(const RawValue& value) { return value.kind == JsonKind::word && value.text == "true"; }

std::int64_t integer_or_zero(const RawValue& value) {
    std::int64_t number = 0;
    return parse_integer(value.text, number) == DecimalStatus::ok ? number : 0;
}

// The letter of a phase; none where it is a usual one.
RawValue unless(const RawValue& phase, std::string_view usual) {
    return usual.find(phase.text) == std::string_view::npos ? phase : RawValue();
}

bool is_nameless(const RawValue& name) { return name.says_nothing() || (name.is_string() && name.text.empty()); }

}  // namespace

bool EventSink::looks_like_event(const EventFields& event) {
    const char phase = letter(event.ph);
    return phase == 'M' || (phase != 0 && event.ts.kind != JsonKind::missing);
}

EventColumns EventSink::take_chunk() {
    EventColumns chunk;
    if (ready_.empty()) {
        chunk = std::exchange(rows_, {});
    } else {
        chunk = std::move(ready_.front());
        ready_.pop_front();
    }
    note_sides(chunk);
    return chunk;
}

void EventSink::note_sides(const EventColumns& chunk) {
    track_sides_.resize(tracks_.tracks().size(), 0);
    note_categories();
    const std::int32_t* names = chunk.name.data();
    const std::int32_t* tracks = chunk.track.data();
    std::uint8_t* sides = track_sides_.data();
    for (std::size_t row = 0; row < chunk.size(); ++row) {
        if (names[row] >= 0) sides[tracks[row]] |= static_cast<std::uint8_t>(side_of_name(names[row]));
    }
}

void EventSink::note_categories() {
    for (std::size_t k = category_sides_.size(); k < names_.categories().size(); ++k) {
        category_sides_.push_back(side_of_category(names_.categories().at(static_cast<std::int32_t>(k))));
    }
}

std::size_t EventSink::row_count() const {
    std::size_t count = rows_.size();
    for (const EventColumns& chunk : ready_) count += chunk.size();
    return count;
}

void EventSink::end_chunk() { ready_.push_back(std::exchange(rows_, {})); }

void EventSink::end_large_chunk() {
    if (rows_.size() >= chunk_rows || rows_.args.size() >= chunk_args_bytes) end_chunk();
}

void EventSink::add(const EventFields& event) {
    if (event.ph.is_null()) {
        ignore("missing_ph");
        ends_in_nothing_ = !event.any;
        return;
    }
    ends_in_nothing_ = false;
    const char phase = letter(event.ph);
    if (event.cat.is_string() && event.cat.text == derived_lane) {
        if (phase != 'M') ignore("derived_lane");
        return;
    }
    if (phase == 'M') {
        ++written_['M'];
        ++read_['M'];
        add_metadata(event);
        return;
    }
    ++written_total_;
    if (phase == 0) {
        ignore("bad_ph");
        return;
    }
    ++written_[static_cast<unsigned char>(phase)];
    if (const std::string_view reason = unshown(phase); !reason.empty()) {
        ignore(reason);
    } else if (std::string_view("XBEiIPRCbnepSTFstf").find(phase) == std::string_view::npos) {
        ignore(std::string("unknown_phase_") + phase);
    } else if (add_timed(event, phase)) {
        ++read_[static_cast<unsigned char>(phase)];
        if (event.cut_values > 0) ignore("nested_too_deep", static_cast<std::int64_t>(event.cut_values));
    }
}

void EventSink::finish() {
    if (!std::exchange(ends_in_nothing_, false)) return;
    const auto entry = ignored_.find("missing_ph");
    if (--entry->second == 0) ignored_.erase(entry);
}

bool EventSink::add_timed(const EventFields& event, char phase) {
    EventRow row;
    if (!read_time(event, row)) return false;
    switch (phase) {
    case 'X':
        if (!read_duration(event, row)) return false;
        add_complete(event, row);
        return true;
    case 'B':
    case 'E':
        row.phase = phase == 'B' ? Phase::begin : Phase::end;
        row.track = tracks_.of_thread(tracks_.thread(event.pid, event.tid), TrackRole::thread_slices);
        row.name = phase == 'E' && is_nameless(event.name) ? -1 : name_of(event);
        if (phase == 'B') row.key = correlation_key(event);
        put_slice(event, row);
        return true;
    case 'i':
    case 'I':
    case 'P':
    case 'R':
        add_instant(event, row);
        if (phase == 'P' && (event.name.text == "Profile" || event.name.text == "ProfileChunk")) ++v8_profiles_;
        return true;
    case 'C': return add_counter(event, row);
    case 's':
    case 't':
    case 'f': add_flow(event, phase, row); return true;
    default: add_async(event, phase, row); return true;
    }
}

bool EventSink::read_time(const EventFields& event, EventRow& row) {
    if (event.ts.is_null()) {
        ignore("missing_ts");
        return false;
    }
    const DecimalStatus status = read_in(time_unit_, event.ts, row.time);
    if (status != DecimalStatus::ok) ignore(status == DecimalStatus::malformed ? "bad_ts" : "ts_out_of_range");
    return status == DecimalStatus::ok;
}

bool EventSink::read_duration(const EventFields& event, EventRow& row) {
    row.phase = Phase::complete;
    if (event.dur.is_null()) {
        row.flags |= event_flag::no_duration;
        return true;
    }
    if (event.dur.says_nothing() || event.dur.text == "-Infinity") {
        ignore("bad_dur_nan");
        return false;
    }
    const DecimalStatus status = read_in(time_unit_, event.dur, row.duration);
    if (status == DecimalStatus::malformed) {
        ignore("bad_dur");
        return false;
    }
    if (status == DecimalStatus::ok && row.duration.ns < 0) {
        row.duration = {};
        row.flags |= event_flag::clamped;
    }
    PicoTime end;
    if (status == DecimalStatus::out_of_range || !tilescope::add(row.time, row.duration, end)) {
        ignore("dur_out_of_range");
        return false;
    }
    return true;
}

void EventSink::add_complete(const EventFields& event, EventRow& row) {
    const std::int32_t thread = tracks_.thread(event.pid, event.tid);
    row.track = tracks_.of_thread(thread, TrackRole::thread_slices);
    row.name = name_of(event);
    note_categories();
    if (side_of_name(row.name) == Side::device) {
        if (auto& device = tracks_.thread_at(thread).device; !device) {
            device = scalar_text(find_member(event.args, "device"));
        }
    }
    row.key = correlation_key(event);
    put_slice(event, row);
}

void EventSink::add_instant(const EventFields& event, EventRow& row) {
    const std::string_view scope = event.instant_scope.is_string() ? event.instant_scope.text : std::string_view();
    row.phase = Phase::instant;
    row.name = name_of(event);
    const RawValue letter = unless(event.ph, "iI");
    if (scope == "g") {
        row.track = tracks_.of_process(-1, TrackRole::global_instants);
        put_args_with(event, {{"ph", letter}, {"pid", event.pid}, {"tid", event.tid}});
    } else if (scope == "p") {
        row.track = tracks_.of_process(tracks_.process(event.pid), TrackRole::process_instants);
        put_args_with(event, {{"ph", letter}, {"tid", event.tid}});
    } else {
        row.track = tracks_.of_thread(tracks_.thread(event.pid, event.tid), TrackRole::thread_instants);
        put_args_with(event, {{"ph", letter}});
    }
    rows_.add(row);
}

void EventSink::add_async(const EventFields& event, char phase, EventRow& row) {
    const std::int32_t thread = tracks_.thread(event.pid, event.tid);
    const std::int32_t process = tracks_.thread_at(thread).process;
    row.phase = phase == 'b' || phase == 'S'   ? Phase::begin
                : phase == 'e' || phase == 'F' ? Phase::end
                                               : Phase::instant;
    const TrackRole role = row.phase == Phase::instant ? TrackRole::async_instants : TrackRole::async_slices;
    row.key = keys_.async(event, process, thread);
    row.track = tracks_.of_process(process, role, {decoded(event.cat, category_scratch_), {}, {}});
    row.name = row.phase == Phase::end && is_nameless(event.name) ? -1 : name_of(event);
    put_args_with(event, {{"ph", unless(event.ph, "bne")}, {"tid", event.tid}});
    rows_.add(row);
}

void EventSink::add_flow(const EventFields& event, char phase, EventRow& row) {
    const std::int32_t thread = tracks_.thread(event.pid, event.tid);
    row.phase = phase == 's' ? Phase::flow_start : phase == 't' ? Phase::flow_step : Phase::flow_end;
    row.track = tracks_.of_thread(thread, TrackRole::thread_flows);
    row.key = keys_.flow(event, tracks_.thread_at(thread).process);
    row.name = name_of(event);
    if (phase == 'f' && event.bp.is_string() && event.bp.text == "e") row.flags |= event_flag::bind_enclosing;
    put(event, row);
}

// Behind the row of the slice, on the same track: that is how it is known which slice it belongs to.
void EventSink::add_bound_flow(const EventFields& event, const EventRow& slice) {
    const bool in = is_true(event.flow_in);
    const bool out = is_true(event.flow_out);
    if (!in && !out) return;
    EventRow row;
    row.phase = in && out ? Phase::flow_step : out ? Phase::flow_start : Phase::flow_end;
    row.track = slice.track;
    row.time = slice.time;
    row.name = slice.name;
    row.key = keys_.bound_flow(event);
    rows_.add(row);
}

void EventSink::add_metadata(const EventFields& event) {
    if (!event.name.is_string()) return;
    const std::string_view what = event.name.text;
    const auto add_text = [&](std::string_view key, LatestValues<std::string>& out) {
        std::string text = scalar_text(find_member(event.args, key));
        if (!text.empty()) out.add(std::move(text));
    };
    if (what == "process_name") {
        add_text("name", tracks_.process_at(tracks_.process(event.pid)).names);
    } else if (what == "process_labels") {
        add_text("labels", tracks_.process_at(tracks_.process(event.pid)).labels);
    } else if (what == "process_sort_index") {
        tracks_.process_at(tracks_.process(event.pid))
            .sort_indices.add(integer_or_zero(find_member(event.args, "sort_index")));
    } else if (what == "thread_name") {
        add_text("name", tracks_.thread_at(tracks_.thread(event.pid, event.tid)).names);
    } else if (what == "thread_sort_index") {
        tracks_.thread_at(tracks_.thread(event.pid, event.tid)).sort_index =
            integer_or_zero(find_member(event.args, "sort_index"));
    }
}

void EventSink::put(const EventFields& event, EventRow& row) {
    put_args(event.rest);
    rows_.add(row);
}

void EventSink::put_slice(const EventFields& event, EventRow& row) {
    put(event, row);
    if (event.bind_id.kind != JsonKind::missing) add_bound_flow(event, row);
}

void EventSink::put_args(const std::vector<std::string_view>& members) {
    if (packer_ != nullptr) {
        packer_->pack_object(members, rows_.args);
    } else {
        rows_.append_args(members);
    }
}

void EventSink::put_args_with(const EventFields& event, std::initializer_list<Member> more) {
    std::string text;
    for (const auto& [key, value] : more) {
        if (value.kind == JsonKind::missing || value.deep) continue;
        const std::string_view quote = value.is_string() ? "\"" : "";
        text.append(text.empty() ? "\"" : ", \"").append(key).append("\": ");
        text.append(quote).append(value.text).append(quote);
    }
    if (text.empty()) {
        put_args(event.rest);
        return;
    }
    std::vector<std::string_view> members = event.rest;
    members.emplace_back(text);
    put_args(members);
}

// The kind of a task of an Ascend device, which its profiler writes among the arguments in place of a category.
RawValue EventSink::task_type_of(const EventFields& event) {
    constexpr std::string_view task_type = "Task Type";
    if (event.args.kind != JsonKind::object || event.args.text.find(task_type) == std::string_view::npos) return {};
    const RawValue value = find_member(event.args, task_type);
    return value.is_string() ? value : RawValue();
}

std::string_view EventSink::decoded(const RawValue& value, std::string& scratch) {
    if (value.says_nothing()) return {};
    if (!value.escaped && !value.non_ascii) return value.text;
    scratch.clear();
    append_decoded(value.text, scratch);
    return scratch;
}

std::int32_t EventSink::name_of(const EventFields& event) {
    const std::string_view text = is_nameless(event.name) ? no_name : decoded(event.name, name_scratch_);
    std::string_view category = decoded(event.cat, category_scratch_);
    if (category.empty()) category = decoded(task_type_of(event), category_scratch_);
    return names_.intern(text, category);
}

}  // namespace tilescope
