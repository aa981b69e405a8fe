#include "columns/async_homes.hpp"

#include <numeric>
#include <stdexcept>

#include "columns/event_codes.hpp"
#include "columns/radix_order.hpp"

namespace tilescope {

std::vector<std::int64_t> async_homes(const AsyncRows& rows) {
    std::vector<std::int64_t> order(same_size(rows.group, rows.time_ns, rows.time_ps, rows.key, rows.phase));
    for (const std::int64_t key : rows.key) {
        if (key < 0 || static_cast<std::size_t>(key) >= rows.keys) {
            throw std::invalid_argument("a key is out of range");
        }
    }
    std::iota(order.begin(), order.end(), std::int64_t{0});
    stable_order_by(rows.time_ps, order);
    stable_order_by(rows.time_ns, order);
    stable_order_by(rows.group, order);

    std::vector<std::int64_t> home(rows.key.begin(), rows.key.end());
    std::vector<std::int64_t> open(rows.keys, 0);  // begins of each key that have no end yet
    std::vector<std::int64_t> begun;  // keys in the order in which they began, those without an open begin among them
    std::vector<std::size_t> alone;  // ends of one time that found nothing open in their process
    const auto open_of = [&](std::int64_t key) -> std::int64_t& { return open[static_cast<std::size_t>(key)]; };
    for (std::size_t k = 0; k < order.size();) {
        const auto first = static_cast<std::size_t>(order[k]);
        if (k == 0 || rows.group[first] != rows.group[static_cast<std::size_t>(order[k - 1])]) begun.clear();
        alone.clear();
        for (; k < order.size(); ++k) {
            const auto row = static_cast<std::size_t>(order[k]);
            if (rows.group[row] != rows.group[first] || rows.time_ns[row] != rows.time_ns[first] ||
                rows.time_ps[row] != rows.time_ps[first]) {
                break;
            }
            const std::int64_t key = rows.key[row];
            if (static_cast<Phase>(rows.phase[row]) == Phase::begin) {
                ++open_of(key);
                begun.push_back(key);
            } else if (open_of(key) > 0) {
                --open_of(key);
            } else {
                alone.push_back(row);
            }
        }
        for (const std::size_t row : alone) {
            if (open_of(rows.key[row]) > 0)
                continue;  // its process begins at this very time, but behind it in the file
            while (!begun.empty() && open_of(begun.back()) == 0) begun.pop_back();
            if (begun.empty()) continue;
            home[row] = begun.back();
            --open_of(begun.back());
        }
    }
    return home;
}

}  // namespace tilescope
