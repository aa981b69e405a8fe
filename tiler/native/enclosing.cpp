#include "enclosing.hpp"

#include <stdexcept>
#include <vector>

namespace tilescope {

void innermost_slices(const std::int64_t* start, const std::int64_t* duration, std::size_t n, const std::int64_t* time,
                      std::size_t n_times, std::int64_t* slice) {
    // Slices that may still be somebody's innermost. A later slice hides the earlier ones that end no later than it,
    // nested or not: so the ends grow smaller towards the top.
    std::vector<std::size_t> open;
    const auto end = [&](std::size_t k) { return start[k] + duration[k]; };
    std::size_t next = 0;
    std::int64_t last_ended = -1;
    for (std::size_t k = 0; k < n_times; ++k) {
        const std::int64_t now = time[k];
        if (k > 0 && now < time[k - 1]) throw std::invalid_argument("times are not in order");
        for (; next < n && start[next] <= now; ++next) {
            if (next > 0 && start[next] < start[next - 1]) throw std::invalid_argument("slices are not in time order");
            while (!open.empty() && end(open.back()) <= end(next)) open.pop_back();
            open.push_back(next);
        }
        while (!open.empty() && end(open.back()) <= now && start[open.back()] != now) {
            last_ended = static_cast<std::int64_t>(open.back());
            open.pop_back();
        }
        if (!open.empty()) {
            slice[k] = static_cast<std::int64_t>(open.back());
        } else {
            const bool touches = last_ended >= 0 && end(static_cast<std::size_t>(last_ended)) == now;
            slice[k] = touches ? last_ended : -1;
        }
    }
}

}  // namespace tilescope
