// Walking over the members of an object that has been checked already.
#pragma once

#include <cstddef>
#include <string_view>

#include "trace_event/fields.hpp"
#include "trace_event/json_scan.hpp"

namespace tilescope {

template <typename Visit>
void for_each_member(std::string_view object, Visit&& visit) {
    const char* p = object.data();
    const char* end = p + object.size();
    if (p == end || *p != '{') return;
    ++p;
    for (;;) {
        while (p != end && (is_space(*p) || *p == ',')) ++p;
        if (p == end || *p != '"') return;
        const StringEnd key = find_string_end(p + 1, end);
        if (key.quote == nullptr) return;
        const std::string_view name = text_between(p + 1, key.quote);
        p = skip_space(key.quote + 1, end);
        if (p == end || *p != ':') return;
        RawValue value;
        const ScanEnd read = read_value(skip_space(p + 1, end), end, value);
        if (read.status != Scan::ok) return;
        if (!visit(name, value)) return;
        p = read.position;
    }
}

}  // namespace tilescope
