#include "columns/windows.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tilescope {

void TickSpans::append(int64_t first, int64_t last) {
    if (stop.empty() || stop.back() < first) {
        start.push_back(first);
        stop.push_back(last);
    } else {
        stop.back() = std::max(stop.back(), last);
    }
}

namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// Sorts stretches that ascend, as those of the leaves of a page do: they reach a little into each other.
void sort_stretches(Pairs& pairs) {
    constexpr std::size_t most = 64;
    if (pairs.empty()) return;
    std::vector<std::size_t> begins{0};
    for (std::size_t k = 1; k < pairs.size(); ++k) {
        if (pairs[k - 1] <= pairs[k]) continue;
        begins.push_back(k);
        if (begins.size() > most) {
            std::sort(pairs.begin(), pairs.end());
            return;
        }
    }
    const auto end_of = [&](std::size_t begin) {
        const auto next = std::upper_bound(begins.begin(), begins.end(), begin);
        return next == begins.end() ? pairs.size() : *next;
    };
    std::vector<std::size_t> order = begins;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return pairs[a] < pairs[b]; });
    Pairs sorted;
    sorted.reserve(pairs.size());
    for (const std::size_t begin : order) {
        const auto first = static_cast<std::ptrdiff_t>(begin), last = static_cast<std::ptrdiff_t>(end_of(begin));
        const auto seen = static_cast<std::ptrdiff_t>(sorted.size());
        sorted.insert(sorted.end(), pairs.begin() + first, pairs.begin() + last);
        const auto from =
            std::upper_bound(sorted.begin(), sorted.begin() + seen, sorted[static_cast<std::size_t>(seen)]);
        if (from == sorted.begin() + seen) continue;
        const auto upto =
            std::lower_bound(sorted.begin() + seen, sorted.end(), sorted[static_cast<std::size_t>(seen) - 1]);
        std::inplace_merge(from, sorted.begin() + seen, upto);
    }
    pairs = std::move(sorted);
}

}  // namespace

TickSpans tick_spans(Span<const int64_t> start, Span<const int64_t> stop, int64_t limit) {
    const std::size_t n = same_size(start, stop);
    TickSpans spans;
    bool ascends = true;
    for (std::size_t k = 1; k < n && ascends; ++k) ascends = start[k - 1] <= start[k];
    const auto take = [&](int64_t first, int64_t last) {
        first = std::clamp<int64_t>(first, 0, limit);
        last = std::clamp<int64_t>(last, 0, limit);
        if (first < last) spans.append(first, last);
    };
    if (ascends) {
        for (std::size_t k = 0; k < n; ++k) take(start[k], stop[k]);
        return spans;
    }
    Pairs ordered;
    ordered.reserve(n);
    for (std::size_t k = 0; k < n; ++k) ordered.emplace_back(start[k], stop[k]);
    sort_stretches(ordered);
    for (const auto& [first, last] : ordered) take(first, last);
    return spans;
}

TickSpans tick_spans(TickSpans&& spans, int64_t limit) {
    const std::size_t n = same_size(spans.start, spans.stop);
    bool are_apart = true;
    for (std::size_t k = 0; k < n && are_apart; ++k) {
        are_apart =
            (k == 0 ? spans.start[k] >= 0 : spans.start[k] > spans.stop[k - 1]) && spans.start[k] < spans.stop[k];
    }
    are_apart = are_apart && (n == 0 || spans.stop.back() <= limit);
    return are_apart ? std::move(spans) : tick_spans(spans.start, spans.stop, limit);
}

TickSpans joined_spans(const TickSpansView& a, const TickSpansView& b) {
    const std::size_t n = same_size(a.start, a.stop), m = same_size(b.start, b.stop);
    TickSpans spans;
    spans.start.reserve(n + m);
    spans.stop.reserve(n + m);
    for (std::size_t i = 0, j = 0; i < n || j < m;) {
        if (j == m || (i < n && a.start[i] <= b.start[j])) {
            spans.append(a.start[i], a.stop[i]);
            ++i;
        } else {
            spans.append(b.start[j], b.stop[j]);
            ++j;
        }
    }
    return spans;
}

TickSpans spans_without(const TickSpansView& a, const TickSpansView& b) {
    const std::size_t n = same_size(a.start, a.stop), m = same_size(b.start, b.stop);
    TickSpans spans;
    std::size_t j = 0;
    for (std::size_t i = 0; i < n; ++i) {
        int64_t begin = a.start[i];
        while (j < m && b.stop[j] <= begin) ++j;
        for (std::size_t k = j; k < m && b.start[k] < a.stop[i]; ++k) {
            if (begin < b.start[k]) spans.append(begin, b.start[k]);
            begin = std::max(begin, b.stop[k]);
        }
        if (begin < a.stop[i]) spans.append(begin, a.stop[i]);
    }
    return spans;
}

}  // namespace tilescope
