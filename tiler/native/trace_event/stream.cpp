#include "trace_event/stream.hpp"

#include <utility>

#include "trace_event/json_scan.hpp"
#include "trace_event/json_text.hpp"
#include "trace_event/repair.hpp"

namespace tilescope {

namespace {

// An event that is larger than this is taken for damage: a bracket or quote that was never closed. Bounds the memory.
constexpr std::size_t max_event_bytes = std::size_t{64} << 20;

// An object at the top is an event when its "ph" comes within this many bytes, and a trace object otherwise.
constexpr std::size_t event_window_bytes = std::size_t{1} << 20;

constexpr std::size_t max_key_bytes = std::size_t{1} << 20;
constexpr const char* foreign_text = "single quotes and comments are no JSON";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

void TraceEventStream::pack_arguments(PackedTexts& texts) {
    packer_ = texts.lend();
    sink_.pack_arguments(packer_.get());
    fields_.guess = &packer_->guess();
}

void TraceEventStream::append(std::string_view data) {
    forget_consumed();
    buffer_ += data;
}

void TraceEventStream::feed(std::string_view data) {
    append(data);
    if (available() >= retry_at_) run();
    sink_.end_large_chunk();
}

void TraceEventStream::feed(std::string_view data, TraceEventPart& part) {
    if (part.empty()) return feed(data);
    append(data.substr(0, part.first()));
    run();
    if (!between_events()) return feed(data.substr(part.first()));
    forget_consumed();
    if (part.line_ends() > 0) last_line_end_ = buffer_offset_ + part.last_line_end();
    lines_before_ += part.line_ends();
    buffer_offset_ += part.last() - part.first();
    any_value_ = true;
    any_event_ = any_event_ || part.any_event();
    elements_ += part.elements();
    ++parts_taken_;
    sink_.absorb(part.sink());
    append(data.substr(part.last()));
    run();
}

// An event may come next, and nothing is pending.
bool TraceEventStream::between_events() const {
    return available() == 0 && (state_ == State::array || state_ == State::top);
}

void TraceEventStream::finish() {
    finished_ = true;
    run();
    switch (state_) {
    case State::top: ended_in_ = any_value_ ? EndedIn::complete : EndedIn::nothing; break;
    case State::array: ended_in_ = EndedIn::array; break;
    case State::resync: ended_in_ = maybe_cut_ ? EndedIn::event : EndedIn::damage; break;
    case State::member:
    case State::member_value: ended_in_ = EndedIn::object; break;
    case State::skip: ended_in_ = EndedIn::value; break;
    }
    sink_.finish();
}

void TraceEventStream::run() {
    retry_at_ = 0;
    for (;;) {
        Step step = Step::more;
        switch (state_) {
        case State::top: step = step_top(); break;
        case State::array: step = step_array(); break;
        case State::resync: step = step_resync(); break;
        case State::member: step = step_member(); break;
        case State::member_value: step = step_member_value(); break;
        case State::skip: step = step_skip(); break;
        }
        if (step == Step::more) return;
    }
}

// -- at the top -----------------------------------------------------------------------------------------------------------

TraceEventStream::Step TraceEventStream::step_top() {
    if (offset() == 0) {
        const std::size_t size = std::min(available(), byte_order_mark.size());
        if (size > 0 && byte_order_mark.substr(0, size) == std::string_view(here(), size)) {
            if (size < byte_order_mark.size() && !finished_) return wait();
            position_ += size;
        }
    }
    if (!skip_to_content(true)) return Step::more;
    switch (*here()) {
    case '[':
        ++position_;
        any_value_ = true;
        has_event_array_ = true;
        in_object_ = false;
        state_ = State::array;
        return Step::go_on;
    case '{': return step_top_object();
    default:
        if (!any_value_) refuse(is_foreign(here(), end()) ? foreign_text : "this is no JSON", here());
        sink_.ignore("trailing_bytes");
        ++position_;
        return Step::go_on;
    }
}

TraceEventStream::Step TraceEventStream::step_top_object() {
    EventEnd parsed = parse_event(here(), reach(event_window_bytes), fields_);
    const bool is_event = fields_.ph.kind != JsonKind::missing;
    if (parsed.status == Scan::incomplete && is_event && available() >= event_window_bytes) {
        parsed = parse_event(here(), reach(max_event_bytes), fields_);
    }
    if (parsed.as == ParsedAs::trace_object) {
        enter_object();
        return Step::go_on;
    }
    switch (parsed.status) {
    case Scan::ok: accept_event(parsed.position); return Step::go_on;
    case Scan::incomplete:
        if (is_event) return cut_or_wait(State::top);
        if (available() < event_window_bytes && !finished_) return wait();
        enter_object();
        return Step::go_on;
    default:
        if (!any_event_ && parsed.status == Scan::foreign) refuse(foreign_text, parsed.position);
        if (!any_event_ && !is_event) {
            enter_object();
            return Step::go_on;
        }
        if (parsed.status == Scan::damaged) return repair_or_resync(State::top);
        return resync_from(State::top, "damaged_event");
    }
}

void TraceEventStream::enter_object() {
    members_.begin_object();
    ++position_;
    any_value_ = true;
    in_object_ = true;
    state_ = State::member;
}

// -- members of the object that holds the events --------------------------------------------------------------------------

TraceEventStream::Step TraceEventStream::step_member() {
    if (!skip_to_content(true)) return Step::more;
    if (*here() == '}') {
        ++position_;
        in_object_ = false;
        state_ = State::top;
        return Step::go_on;
    }
    if (*here() != '"') return bad_object();
    const StringEnd key = find_string_end(here() + 1, reach(max_key_bytes));
    if (key.quote == nullptr) {
        if (available() >= max_key_bytes) return bad_object();
        return finished_ ? Step::more : wait();
    }
    const char* colon = skip_space(key.quote + 1, end());
    if (colon == end()) return finished_ ? Step::more : wait();
    if (*colon != ':') return bad_object();
    member_.assign(here() + 1, key.quote);
    move_to(colon + 1);
    state_ = State::member_value;
    return Step::go_on;
}

TraceEventStream::Step TraceEventStream::step_member_value() {
    if (!skip_to_content(false)) return Step::more;
    if (is_foreign(here(), end())) return bad_object();
    if (member_ == "traceEvents") {
        if (*here() == '[') {
            ++position_;
            has_event_array_ = true;
            state_ = State::array;
            return Step::go_on;
        }
        event_array_is_none_ = event_array_is_none_ || *here() != 'n';  // null is an empty array
        has_event_array_ = has_event_array_ || *here() == 'n';
    } else if ((member_ == "baseTimeNanoseconds" || member_ == "host_name") && *here() != '{' && *here() != '[') {
        return step_known_member();
    } else if (member_ == "viztracer_metadata" && *here() == '{') {
        RawValue value;
        const ScanEnd read = read_value(here(), reach(max_key_bytes), value);
        if (read.status == Scan::incomplete && available() < max_key_bytes && !finished_) return wait();
        if (read.status == Scan::ok) {
            const RawValue base = find_member(value, "baseTimeNanoseconds");
            if (!base.is_null()) keep_base_time(base, viztracer_base_ns_);
        }
    }
    if (member_ == "ph") {  // it came too late to tell the event from a trace object
        sink_.ignore("oversized_event");
        members_.drop_object();
    }
    keeps_member_ = member_ != "traceEvents";
    if (keeps_member_) members_.begin(member_);
    skipper_ = {};
    state_ = State::skip;
    return Step::go_on;
}

TraceEventStream::Step TraceEventStream::step_known_member() {
    RawValue value;
    const ScanEnd read = read_value(here(), reach(max_key_bytes), value);
    if (read.status == Scan::incomplete && available() < max_key_bytes) return finished_ ? Step::more : wait();
    if (read.status != Scan::ok) return bad_object();
    if (member_ == "host_name") {
        host_name_ = scalar_text(value);
    } else {
        keep_base_time(value, base_time_ns_);
    }
    members_.begin(member_);
    members_.add(text_between(here(), read.position));
    members_.end();
    move_to(read.position);
    state_ = State::member;
    return Step::go_on;
}

// The first of each kind counts.
void TraceEventStream::keep_base_time(const RawValue& value, std::optional<std::int64_t>& kept) {
    std::int64_t base = 0;
    if (parse_integer(value.text, base) != DecimalStatus::ok) {
        sink_.ignore("bad_base_time");
        return;
    }
    if (!kept) kept = base;
    base_time_differs_ = base_time_differs_ || *kept != base;
}

TraceEventStream::Step TraceEventStream::step_skip() {
    const char* to = skipper_.feed(here(), end());
    if (keeps_member_) members_.add(text_between(here(), to));
    move_to(to);
    if (!skipper_.done()) return Step::more;
    if (keeps_member_) members_.end();
    if (member_ == "samples") samples_ += skipper_.objects();
    state_ = State::member;
    return Step::go_on;
}

TraceEventStream::Step TraceEventStream::bad_object() {
    if (is_foreign(here(), end())) refuse(foreign_text, here());
    if (!any_event_) refuse("the JSON is damaged before any trace event", here());
    return resync_from(State::top, "damaged_member");
}

// -- events ---------------------------------------------------------------------------------------------------------------

TraceEventStream::Step TraceEventStream::step_array() {
    if (!skip_to_content(true)) return Step::more;
    switch (*here()) {
    case '{': return step_event();
    case ']':
        ++position_;
        state_ = in_object_ ? State::member : State::top;
        return Step::go_on;
    case '}':
        sink_.ignore("stray_bracket");
        ++position_;
        return Step::go_on;
    case '\0':
        sink_.ignore("trailing_bytes");
        ++position_;
        return Step::go_on;
    case '\'':
    case '/': refuse(foreign_text, here());
    default: return step_element();
    }
}

// An element that is no object.
TraceEventStream::Step TraceEventStream::step_element() {
    RawValue value;
    const ScanEnd read = read_value(here(), reach(max_event_bytes), value);
    if (read.status == Scan::incomplete) {
        if (available() >= max_event_bytes) return resync_from(State::array, "oversized_event");
        return finished_ ? Step::more : wait();
    }
    if (read.status != Scan::ok) return resync_from(State::array, "damaged_event");
    if (value.is_null()) {
        sink_.ignore("null_event");
    } else {
        ++elements_;
        sink_.ignore("not_an_event");
    }
    move_to(read.position);
    return Step::go_on;
}

TraceEventStream::Step TraceEventStream::step_event() {
    const EventEnd parsed = parse_event(here(), reach(max_event_bytes), fields_);
    if (parsed.as == ParsedAs::trace_object) return resync_from(State::array, "not_an_event");
    switch (parsed.status) {
    case Scan::ok: accept_event(parsed.position); return Step::go_on;
    case Scan::incomplete: return cut_or_wait(State::array);
    case Scan::foreign:
        if (!any_event_) refuse(foreign_text, parsed.position);
        break;
    case Scan::damaged: return repair_or_resync(State::array);
    case Scan::too_deep: break;
    }
    return resync_from(State::array, "damaged_event");
}

// Repairs an event with quotes that are not escaped, of which everything is kept; of others that are damaged nothing
// is.
TraceEventStream::Step TraceEventStream::repair_or_resync(State home) {
    const RepairedEvent event = repair_quotes(here(), end(), finished_);
    if (event.result == RepairResult::undecided && !finished_) return wait();
    if (event.result == RepairResult::repaired) {
        const char* text = event.text.data();
        const EventEnd parsed = parse_event(text, text + event.text.size(), fields_);
        if (parsed.status == Scan::ok && parsed.as == ParsedAs::event && EventSink::looks_like_event(fields_)) {
            sink_.ignore("unescaped_quotes");
            accept_event(event.after);
            return Step::go_on;
        }
    }
    return resync_from(home, "damaged_event");
}

void TraceEventStream::accept_event(const char* after) {
    any_value_ = true;
    if (!fields_.ph.is_null()) {
        any_event_ = true;
    } else if (fields_.any) {
        ++elements_;
    }
    sink_.add(fields_);
    move_to(after);
}

TraceEventStream::Step TraceEventStream::cut_or_wait(State home) {
    if (available() >= max_event_bytes) return resync_from(home, "oversized_event");
    if (!finished_) return wait();
    maybe_cut_ = true;
    cut_offset_ = offset();
    return resync_from(home, {});
}

// -- resynchronising ------------------------------------------------------------------------------------------------------

// Looks for the next event from behind the first byte of what is damaged. An empty reason is counted when that is found.
TraceEventStream::Step TraceEventStream::resync_from(State home, std::string_view reason) {
    if (!reason.empty()) sink_.ignore(reason);
    any_value_ = true;
    home_ = home;
    state_ = State::resync;
    resync_before_ = *here();
    ++position_;
    return Step::go_on;
}

TraceEventStream::Step TraceEventStream::step_resync() {
    for (; position_ < buffer_.size(); ++position_) {
        const char c = *here();
        if (is_space(c)) continue;
        Answer answer = Answer::no;
        // Behind a colon it is the value of a member, such as "args".
        if (c == '{' && resync_before_ != ':') answer = event_begins(here(), end(), max_event_bytes, fields_).answer;
        if (c == ']' && resync_before_ == '}' && in_object_ && home_ == State::array) answer = array_ends_here();
        if (answer == Answer::undecided && !finished_) return wait();
        if (answer == Answer::yes) {
            if (maybe_cut_) sink_.ignore("damaged_event");
            maybe_cut_ = false;
            state_ = home_;
            return Step::go_on;
        }
        resync_before_ = c;
    }
    return Step::more;
}

// The bracket closes the array of events when the object goes on, or ends, behind it.
Answer TraceEventStream::array_ends_here() const {
    const char* p = skip_space(here() + 1, end());
    if (p == end()) return Answer::undecided;
    if (*p == '}') return Answer::yes;
    if (*p != ',') return Answer::no;
    p = skip_space(p + 1, end());
    if (p == end()) return Answer::undecided;
    return *p == '"' ? Answer::yes : Answer::no;
}

// -- the buffer -----------------------------------------------------------------------------------------------------------

// Trying again each time the bytes have doubled keeps the work linear.
TraceEventStream::Step TraceEventStream::wait() {
    retry_at_ = 2 * available();
    if (available() < max_event_bytes) retry_at_ = std::min(retry_at_, max_event_bytes);
    return Step::more;
}

bool TraceEventStream::skip_to_content(bool over_commas) {
    const char* p = skip_space(here(), end());
    while (over_commas && p != end() && *p == ',') p = skip_space(p + 1, end());
    move_to(p);
    return p != end();
}

void TraceEventStream::forget_consumed() {
    const std::string_view consumed = text_between(buffer_.data(), here());
    lines_before_ += count_line_ends(consumed);
    const std::size_t last = consumed.rfind('\n');
    if (last != std::string_view::npos) last_line_end_ = buffer_offset_ + last + 1;
    buffer_.erase(0, position_);
    buffer_offset_ += position_;
    position_ = 0;
}

void TraceEventStream::refuse(const std::string& what, const char* p) const {
    const std::string_view before = text_between(buffer_.data(), p);
    const std::uint64_t place = buffer_offset_ + before.size();
    const std::uint64_t line = lines_before_ + count_line_ends(before) + 1;
    const std::size_t last = before.rfind('\n');
    const std::uint64_t line_first = last == std::string_view::npos ? last_line_end_ : buffer_offset_ + last + 1;
    throw NotTraceJson(what, place, line, place - line_first + 1);
}

}  // namespace tilescope
