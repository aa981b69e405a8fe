#include "trace_event_fields.hpp"

#include "json_scan.hpp"
#include "json_text.hpp"

namespace tilescope {

namespace {

// Where the value of that member belongs; null when no column needs it.
RawValue* field_of(std::string_view key, EventFields& fields) {
    switch (key.size()) {
        case 1: return key[0] == 's' ? &fields.instant_scope : nullptr;
        case 2:
            if (key == "ph") return &fields.ph;
            if (key == "ts") return &fields.ts;
            if (key == "id") return &fields.id;
            return key == "bp" ? &fields.bp : nullptr;
        case 3:
            if (key == "pid") return &fields.pid;
            if (key == "tid") return &fields.tid;
            if (key == "dur") return &fields.dur;
            if (key == "cat") return &fields.cat;
            return key == "id2" ? &fields.id2 : nullptr;
        case 4:
            if (key == "name") return &fields.name;
            return key == "args" ? &fields.args : nullptr;
        case 5: return key == "scope" ? &fields.id_scope : nullptr;
        case 7:
            if (key == "bind_id") return &fields.bind_id;
            return key == "flow_in" ? &fields.flow_in : nullptr;
        case 8: return key == "flow_out" ? &fields.flow_out : nullptr;
        default: return nullptr;
    }
}

bool is_column(const RawValue* field, const EventFields& fields) {
    return field == &fields.ph || field == &fields.name || field == &fields.pid || field == &fields.tid ||
           field == &fields.ts || field == &fields.dur;
}

}  // namespace

void EventFields::clear() {
    for (RawValue* field : {&ph, &name, &cat, &pid, &tid, &ts, &dur, &id, &id2, &id_scope, &args, &instant_scope, &bp,
                            &bind_id, &flow_in, &flow_out}) {
        field->kind = JsonKind::missing;
    }
    rest.clear();
    any = false;
}

bool is_event_member(std::string_view key) {
    EventFields fields;
    return field_of(key, fields) != nullptr || key == "tts" || key == "tdur";
}

ScanEnd read_value(const char* p, const char* end, RawValue& out) {
    if (p == end) return {Scan::incomplete, p};
    const auto take = [&](JsonKind kind, const char* first, const char* last) {
        out = {kind, std::string_view(first, static_cast<std::size_t>(last - first)), false, false};
    };
    if (*p == '"') {
        const StringEnd string = find_string_end(p + 1, end);
        if (string.quote == nullptr) return {Scan::incomplete, end};
        take(JsonKind::string, p + 1, string.quote);
        out.escaped = string.escaped;
        out.non_ascii = string.non_ascii;
        return {Scan::ok, string.quote + 1};
    }
    if (*p == '{' || *p == '[') {
        const ScanEnd value = skip_value(p, end);
        if (value.status == Scan::ok) take(*p == '{' ? JsonKind::object : JsonKind::array, p, value.at);
        return value;
    }
    const char* after = skip_token(p, end);
    if (after == end) return {Scan::incomplete, end};
    if (after == p) return {is_foreign(p, end) ? Scan::foreign : Scan::damaged, p};
    const char first = p[*p == '-' ? 1 : 0];  // `after` is not `end`: one more may be read
    const bool number = first >= '0' && first <= '9';
    take(number ? JsonKind::number : JsonKind::word, p, after);
    return {Scan::ok, after};
}

EventEnd parse_event(const char* p, const char* end, EventFields& out) {
    out.clear();
    const auto stop = [](Scan status, const char* at) { return EventEnd{status, at, ParsedAs::event}; };
    bool comma = true;
    bool after_string = false;
    ++p;
    for (;;) {
        p = skip_space(p, end);
        if (p == end) return stop(Scan::incomplete, p);
        if (*p == ',') {
            comma = true;
            ++p;
            continue;
        }
        if (*p == '}') return stop(Scan::ok, p + 1);
        if (*p != '"' || !comma) {
            // Behind a string, a quote in the name is likelier than a comment.
            const bool foreign = is_foreign(p, end) && (comma || (*p == '/' && !after_string));
            return stop(foreign ? Scan::foreign : Scan::damaged, p);
        }
        out.any = true;
        const char* member = p;
        const StringEnd key_end = find_string_end(p + 1, end);
        if (key_end.quote == nullptr) return stop(Scan::incomplete, end);
        const std::string_view key(p + 1, static_cast<std::size_t>(key_end.quote - p - 1));
        p = skip_space(key_end.quote + 1, end);
        if (p == end) return stop(Scan::incomplete, p);
        if (*p != ':') return stop(Scan::damaged, p);
        p = skip_space(p + 1, end);
        if (key == "traceEvents") return {Scan::ok, p, ParsedAs::trace_object};
        RawValue other;
        RawValue* field = field_of(key, out);
        const ScanEnd value = read_value(p, end, field == nullptr ? other : *field);
        if (value.status != Scan::ok) return stop(value.status, value.at);
        p = value.at;
        if (field == nullptr || !is_column(field, out)) {
            out.rest.emplace_back(member, static_cast<std::size_t>(p - member));
        }
        comma = false;
        after_string = p[-1] == '"';
    }
}

RawValue find_member(const RawValue& object, std::string_view key) {
    RawValue found;
    if (object.kind != JsonKind::object) return found;
    for_each_member(object.text, [&](std::string_view name, const RawValue& value) {
        if (name == key) found = value;
        return true;
    });
    return found;
}

std::string scalar_text(const RawValue& value) {
    std::string text;
    if (value.says_nothing() || value.kind == JsonKind::object || value.kind == JsonKind::array) return text;
    if (value.is_string()) {
        append_decoded(value.text, text);
    } else {
        text = value.text;
    }
    return text;
}

}  // namespace tilescope
