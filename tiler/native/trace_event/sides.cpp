#include "trace_event/sides.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tilescope {

namespace {

// libkineto/src/ActivityType.cpp names them, the last of each list are those of before 2022. It writes `user_annotation`,
// `overhead` and `mtia_runtime` on both sides.
constexpr std::string_view device_categories[] = {
    "kernel",         "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "cuda_sync", "cuda_event", "mtia_ccp_events",
    "gpu_pm_counter", "memcpy",     "memset",
};
constexpr std::string_view host_categories[] = {
    "cpu_op",     "cuda_runtime",        "cuda_driver",        "python_function", "cpu_instant_event", "xpu_runtime",
    "xpu_driver", "privateuse1_runtime", "privateuse1_driver", "glow_runtime",    "operator",          "runtime",
};

constexpr std::size_t longest = 24;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

template <std::size_t N>
bool is_among(std::string_view category, const std::string_view (&categories)[N]) {
    return std::find(std::begin(categories), std::end(categories), category) != std::end(categories);
}

}  // namespace

Side side_of_category(std::string_view category) {
    if (category.size() > longest) return Side::either;
    std::array<char, longest> text{};
    std::transform(category.begin(), category.end(), text.begin(), lower);
    const std::string_view folded(text.data(), category.size());
    if (is_among(folded, device_categories)) return Side::device;
    return is_among(folded, host_categories) ? Side::host : Side::either;
}

}  // namespace tilescope
