#include "pyramid/order.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <stdexcept>

#include "pyramid/geometry.hpp"

namespace tilescope {

namespace {

// The least first.
template <typename T>
using CountedQueue = std::priority_queue<T, CountedVector<T>, std::greater<>>;

// Of the slice at k, after a look at its times.
int64_t checked_end(Span<const int64_t> start, Span<const int64_t> duration, size_t k) {
    if (k > 0 && start[k] < start[k - 1]) throw std::invalid_argument("slices are not in time order");
    if (start[k] < 0 || start[k] >= kTimeLimit) throw std::invalid_argument("times are not in [0, 2**61)");
    if (duration[k] < 0 || duration[k] >= kTimeLimit - start[k]) throw std::invalid_argument("slices end beyond 2**61");
    return start[k] + duration[k];
}

}  // namespace

std::vector<int64_t> canonical_order(Span<const int64_t> start, Span<const int64_t> duration) {
    const size_t n = same_size(start, duration);
    const auto before = [&](size_t a, size_t b) {
        return start[a] != start[b] ? start[a] < start[b] : duration[a] > duration[b];
    };
    bool sorted = true;
    for (size_t k = 1; k < n && sorted; ++k) sorted = !before(k, k - 1);
    if (sorted) return {};
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return before(static_cast<size_t>(a), static_cast<size_t>(b)); });
    return order;
}

size_t assign_rows(Span<const int64_t> start, Span<const int64_t> duration, Span<uint32_t> row, MemoryBudget* budget) {
    const size_t n = same_size(start, duration, row);
    using End = std::pair<int64_t, uint32_t>;
    // The fast road, for nested slices: a stack of ends, row r's at r. It ends at the first partial overlap.
    CountedVector<int64_t> ends(budget);
    size_t k = 0;
    for (; k < n; ++k) {
        const int64_t end = checked_end(start, duration, k);
        while (!ends.empty() && ends.back() <= start[k]) ends.pop_back();
        if (!ends.empty() && end > ends.back()) break;
        row[k] = static_cast<uint32_t>(ends.size());
        ends.push_back(end);
    }
    if (k == n) return 0;

    size_t overlaps = 0;
    CountedQueue<End> running({}, CountedVector<End>(budget));
    CountedQueue<uint32_t> free({}, CountedVector<uint32_t>(budget));
    uint32_t rows = 0;
    for (; rows < ends.size(); ++rows) running.push({ends[rows], rows});
    for (; k < n; ++k) {
        const int64_t end = checked_end(start, duration, k);
        while (!running.empty() && running.top().first <= start[k]) {
            free.push(running.top().second);
            running.pop();
        }
        overlaps += !running.empty() && end > running.top().first;
        uint32_t at = rows;
        if (free.empty()) {
            ++rows;
        } else {
            at = free.top();
            free.pop();
        }
        row[k] = at;
        running.push({end, at});
    }
    return overlaps;
}

}  // namespace tilescope
