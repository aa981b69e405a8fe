#include "trace_event/boundary.hpp"

#include <algorithm>
#include <string_view>

#include "trace_event/json_scan.hpp"
#include "trace_event/sink.hpp"

namespace tilescope {

EventBegin event_begins(const char* p, const char* end, std::size_t max_bytes, EventFields& fields) {
    constexpr std::size_t key_bytes = 10;
    const char* key = skip_space(p + 1, end);
    if (key == end) return {Answer::undecided, end};
    if (*key != '"') return {Answer::no, key};
    ++key;
    const std::string_view head(key, std::min(key_bytes, static_cast<std::size_t>(end - key)));
    const std::size_t quote = head.find('"');
    if (quote == std::string_view::npos)
        return {head.size() < key_bytes ? Answer::undecided : Answer::no, key + head.size()};
    if (!is_event_member(head.substr(0, quote))) return {Answer::no, key + quote};
    const auto available = static_cast<std::size_t>(end - p);
    const EventEnd parsed = parse_event(p, p + std::min(max_bytes, available), fields, Depths::refused);
    if (parsed.status == Scan::incomplete && available < max_bytes) return {Answer::undecided, end};
    const bool event = parsed.status == Scan::ok && parsed.as == ParsedAs::event && EventSink::looks_like_event(fields);
    return {event ? Answer::yes : Answer::no, parsed.position};
}

}  // namespace tilescope
