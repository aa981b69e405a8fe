// Reads the values of an event's members, as they are written.
#pragma once

#include "trace_event/fields.hpp"
#include "trace_event/json_scan.hpp"
#include "trace_event/json_skip.hpp"

namespace tilescope {

// A number or a word.
inline ScanEnd read_token(const char* p, const char* end, RawValue& out) {
    const char* after = skip_token(p, end);
    if (after == end) return {Scan::incomplete, end};
    if (after == p) return {is_foreign(p, end) ? Scan::foreign : Scan::damaged, p};
    const char first = p[*p == '-' ? 1 : 0];  // `after` is not `end`: one more may be read
    const bool number = first >= '0' && first <= '9';
    out = {number ? JsonKind::number : JsonKind::word, text_between(p, after), false, false, false};
    return {Scan::ok, after};
}

inline ScanEnd read_raw_value(const char* p, const char* end, RawValue& out, Depths depths) {
    if (p == end) return {Scan::incomplete, p};
    if (*p == '"') {
        const StringEnd string = find_string_end(p + 1, end);
        if (string.quote == nullptr) return {Scan::incomplete, end};
        out = {JsonKind::string, text_between(p + 1, string.quote), string.escaped, string.non_ascii, false};
        return {Scan::ok, string.quote + 1};
    }
    if (*p == '{' || *p == '[') {
        ScanEnd value = skip_value(p, end);
        const bool deep = value.status == Scan::too_deep && depths == Depths::cut;
        if (deep) value = skip_deep_value(p, end);
        if (value.status == Scan::ok)
            out = {*p == '{' ? JsonKind::object : JsonKind::array, text_between(p, value.position), false, false,
                   false};
        out.deep = deep;
        return value;
    }
    return read_token(p, end, out);
}

// The arguments of an event: those of one category are mostly alike, which is made use of where they are packed.
ScanEnd read_arguments(const char* p, const char* end, EventFields& event, Depths depths);

}  // namespace tilescope
