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

}  // namespace

ChunkExtent extent_of(Span<const std::uint8_t> phase, Span<const std::int64_t> time_ns,
                      std::optional<Span<const std::int16_t>> time_ps, Span<const std::int64_t> duration_ns,
                      std::optional<Span<const std::int16_t>> duration_ps) {
    const std::size_t n = same_size(phase, time_ns, duration_ns);
    if (n == 0) throw std::invalid_argument("a chunk without events");
    if ((time_ps && time_ps->size() != n) || (duration_ps && duration_ps->size() != n))
        throw std::invalid_argument("columns differ in length");
    ChunkExtent bounds;
    bounds.first_ns = bounds.latest_ns = time_ns[0];
    bounds.longest_ns = duration_ns[0];
    bounds.last_ns = std::numeric_limits<std::int64_t>::min();
    for (std::size_t k = 0; k < n; ++k) {
        bounds.events += phase[k] < static_cast<std::uint8_t>(Phase::flow_start) ? 1 : 0;
        bounds.first_ns = std::min(bounds.first_ns, time_ns[k]);
        bounds.latest_ns = std::max(bounds.latest_ns, time_ns[k]);
        bounds.longest_ns = std::max(bounds.longest_ns, duration_ns[k]);
        const int time = time_ps ? (*time_ps)[k] : 0;
        const int duration = duration_ps ? (*duration_ps)[k] : 0;
        bounds.any_ps = bounds.any_ps || time != 0 || duration != 0;
        const int beyond = time + duration;
        const std::int64_t end = sum(sum(time_ns[k], duration_ns[k]), beyond / 1000);
        const std::int64_t rest = beyond % 1000;
        if (end > bounds.last_ns || (end == bounds.last_ns && rest > bounds.last_ps)) {
            bounds.last_ns = end;
            bounds.last_ps = rest;
        }
    }
    return bounds;
}

}  // namespace tilescope
