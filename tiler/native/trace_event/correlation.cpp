#include "trace_event/correlation.hpp"

#include <cstring>
#include <string_view>

#include "trace_event/decimal.hpp"
#include "trace_event/json_scan.hpp"
#include "trace_event/member_walk.hpp"

namespace tilescope {

namespace {

// The part of a launch that an event is: its call, or the work that it starts.
enum class LaunchPart { none, call, work };

bool is_word(std::string_view text, std::string_view lower) {
    if (text.size() != lower.size()) return false;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if ((text[k] | 0x20) != lower[k]) return false;
    }
    return true;
}

// By the last word of the category: `cuda_runtime`, `hip_driver`, `Runtime`; `kernel`, `gpu_memcpy`, `Memset`.
LaunchPart launch_part(std::string_view category) {
    if (category.empty()) return LaunchPart::none;
    const std::size_t before = category.rfind('_');
    const std::string_view word = before == std::string_view::npos ? category : category.substr(before + 1);
    switch (category.back() | 0x20) {
    case 'e': return is_word(word, "runtime") ? LaunchPart::call : LaunchPart::none;
    case 'r': return is_word(word, "driver") ? LaunchPart::call : LaunchPart::none;
    case 'l': return is_word(word, "kernel") ? LaunchPart::work : LaunchPart::none;
    case 'y': return is_word(word, "memcpy") ? LaunchPart::work : LaunchPart::none;
    case 't': return is_word(word, "memset") ? LaunchPart::work : LaunchPart::none;
    case 's': return category == "mtia_ccp_events" ? LaunchPart::work : LaunchPart::none;
    default: return LaunchPart::none;
    }
}

constexpr std::string_view quoted_key = "\"correlation\"";

// The first member `correlation` of the arguments themselves.
RawValue correlation_of(std::string_view arguments) {
    RawValue correlation;
    const char* const first = arguments.data() + 1;  // behind the bracket
    const void* const match = memmem(first, arguments.size() - 1, quoted_key.data(), quoted_key.size());
    if (match == nullptr) return correlation;
    const char* const key = static_cast<const char*>(match);
    const char* const end = arguments.data() + arguments.size();
    const char* const colon = skip_space(key + quoted_key.size(), end);
    // As nearly all are: a key, and no object before it in which it could lie.
    const auto before = static_cast<std::size_t>(key - first);
    if (colon != end && *colon == ':' && std::memchr(first, '{', before) == nullptr) {
        const ScanEnd read = read_value(skip_space(colon + 1, end), end, correlation);
        return read.status == Scan::ok ? correlation : RawValue();
    }
    for_each_member(arguments, [&](std::string_view name, const RawValue& value) {
        if (name == "correlation") correlation = value;
        return name != "correlation";
    });
    return correlation;
}

}  // namespace

std::int64_t correlation_key(const EventFields& event) {
    if (event.args.kind != JsonKind::object || !event.cat.is_string()) return -1;
    const LaunchPart part = launch_part(event.cat.text);
    if (part == LaunchPart::none) return -1;
    const RawValue value = correlation_of(event.args.text);
    std::int64_t number = 0;
    if (value.kind != JsonKind::number && !value.is_string()) return -1;
    if (parse_integer(value.text, number) != DecimalStatus::ok || number < 1 || number >> 61 != 0) return -1;
    return -2 - (2 * number + (part == LaunchPart::work ? 1 : 0));
}

}  // namespace tilescope
