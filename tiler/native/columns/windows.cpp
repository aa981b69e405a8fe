#include "columns/windows.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tilescope {

void TickSpans::append(int64_t first, int64_t last) {
    if (stop.empty() || stop.back() < first) {
        start.push_back(first);
        stop.push_back(last);
    } else {
        stop.back() = std::max(stop.back(), last);
    }
}

TickSpans tick_spans(Span<const int64_t> start, Span<const int64_t> stop, int64_t limit) {
    const std::size_t n = same_size(start, stop);
    TickSpans found;
    bool ascends = true;
    for (std::size_t k = 1; k < n && ascends; ++k) ascends = start[k - 1] <= start[k];
    const auto take = [&](int64_t first, int64_t last) {
        first = std::clamp<int64_t>(first, 0, limit);
        last = std::clamp<int64_t>(last, 0, limit);
        if (first < last) found.append(first, last);
    };
    if (ascends) {
        for (std::size_t k = 0; k < n; ++k) take(start[k], stop[k]);
        return found;
    }
    std::vector<std::pair<int64_t, int64_t>> ordered;
    ordered.reserve(n);
    for (std::size_t k = 0; k < n; ++k) ordered.emplace_back(start[k], stop[k]);
    std::sort(ordered.begin(), ordered.end());
    for (const auto& [first, last] : ordered) take(first, last);
    return found;
}

TickSpans joined_spans(const TickSpansView& a, const TickSpansView& b) {
    const std::size_t n = same_size(a.start, a.stop), m = same_size(b.start, b.stop);
    TickSpans found;
    found.start.reserve(n + m);
    found.stop.reserve(n + m);
    for (std::size_t i = 0, j = 0; i < n || j < m;) {
        if (j == m || (i < n && a.start[i] <= b.start[j])) {
            found.append(a.start[i], a.stop[i]);
            ++i;
        } else {
            found.append(b.start[j], b.stop[j]);
            ++j;
        }
    }
    return found;
}

TickSpans spans_without(const TickSpansView& a, const TickSpansView& b) {
    const std::size_t n = same_size(a.start, a.stop), m = same_size(b.start, b.stop);
    TickSpans found;
    std::size_t j = 0;
    for (std::size_t i = 0; i < n; ++i) {
        int64_t at = a.start[i];
        while (j < m && b.stop[j] <= at) ++j;
        for (std::size_t k = j; k < m && b.start[k] < a.stop[i]; ++k) {
            if (at < b.start[k]) found.append(at, b.start[k]);
            at = std::max(at, b.stop[k]);
        }
        if (at < a.stop[i]) found.append(at, a.stop[i]);
    }
    return found;
}

}  // namespace tilescope
