#include "columns/extent.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "columns/event_codes.hpp"

namespace tilescope {

namespace {

constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();

std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t total = 0;
    if (__builtin_add_overflow(a, b, &total)) return a < 0 ? std::numeric_limits<std::int64_t>::min() : latest;
    return total;
}

void join(Extent& extent, std::int64_t start_ns, int start_ps, std::int64_t duration_ns, int duration_ps) {
    const int beyond = start_ps + duration_ps;
    const std::int64_t end = sum(sum(start_ns, duration_ns), beyond / 1000);
    const std::int64_t rest = beyond % 1000;
    if (extent.rows++ == 0) {
        extent = {1, start_ns, start_ns, duration_ns, end, rest, start_ps != 0 || duration_ps != 0};
        return;
    }
    extent.first_ns = std::min(extent.first_ns, start_ns);
    extent.latest_ns = std::max(extent.latest_ns, start_ns);
    extent.longest_ns = std::max(extent.longest_ns, duration_ns);
    extent.any_ps = extent.any_ps || start_ps != 0 || duration_ps != 0;
    if (end > extent.last_ns || (end == extent.last_ns && rest > extent.last_ps)) {
        extent.last_ns = end;
        extent.last_ps = rest;
    }
}

}  // namespace

ChunkExtents extents_of(Span<const std::uint8_t> phase, Span<const std::int64_t> time_ns,
                        std::optional<Span<const std::int16_t>> time_ps, Span<const std::int64_t> duration_ns,
                        std::optional<Span<const std::int16_t>> duration_ps, Span<const std::uint8_t> flags) {
    const std::size_t n = same_size(phase, time_ns, duration_ns, flags);
    if ((time_ps && time_ps->size() != n) || (duration_ps && duration_ps->size() != n))
        throw std::invalid_argument("columns differ in length");
    ChunkExtents extents;
    for (std::size_t k = 0; k < n; ++k) {
        const bool is_flow = phase[k] >= static_cast<std::uint8_t>(Phase::flow_start);
        join(is_flow ? extents.flow_ends : extents.events, time_ns[k], time_ps ? (*time_ps)[k] : 0, duration_ns[k],
             duration_ps ? (*duration_ps)[k] : 0);
        if (phase[k] == static_cast<std::uint8_t>(Phase::flow_end) && (flags[k] & event_flag::bind_enclosing) == 0)
            extents.first_arrival_ns = std::min(extents.first_arrival_ns.value_or(latest), time_ns[k]);
    }
    return extents;
}

}  // namespace tilescope
