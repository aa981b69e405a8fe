#include "columns/window_counts.hpp"

#include <algorithm>
#include <stdexcept>

namespace tilescope {

namespace {

constexpr std::size_t kMostCounts = std::size_t{1} << 28;

bool are_within(Span<const std::int64_t> values, std::int64_t least, std::size_t most) {
    bool within = true;  // one that is not shows in the result of all comparisons
    for (const std::int64_t value : values)
        within = static_cast<int>(within) & static_cast<int>(value >= least && value < static_cast<std::int64_t>(most));
    return within;
}

}  // namespace

WindowCounts::WindowCounts(std::size_t windows, std::size_t places) : windows_(windows), places_(places) {
    if (places != 0 && windows > kMostCounts / places) throw std::invalid_argument("too many windows and places");
    counts_.resize(windows * places);
    times_.resize(windows);
}

void WindowCounts::check(const FollowingOperations& operations, const EventRanges& ranges,
                         const CountedKinds& kinds) const {
    const std::size_t size = operations.kind.size();
    const std::size_t timed = kinds.is_timed.empty() ? operations.parent.size() : size;
    if (operations.parent.size() != timed || operations.duration.size() != timed ||
        ranges.last.size() != ranges.first.size() || ranges.window.size() != ranges.first.size() ||
        (!kinds.is_timed.empty() && kinds.is_timed.size() != kinds.place.size()))
        throw std::invalid_argument("columns of different lengths");
    if (!are_within(operations.kind, 0, kinds.place.size()) || !are_within(operations.parent, -1, kinds.place.size()))
        throw std::invalid_argument("a kind that there is not");
    if (!are_within(kinds.place, 0, places_) || !are_within(ranges.window, 0, windows_))
        throw std::invalid_argument("a place or a window that there is not");
}

void WindowCounts::add(const FollowingOperations& operations, const EventRanges& ranges, const CountedKinds& kinds,
                       Span<const std::int64_t> left_out) {
    check(operations, ranges, kinds);
    const std::int64_t stop = operations.first + static_cast<std::int64_t>(operations.kind.size());
    for (std::size_t k = 0; k < ranges.first.size(); ++k) {
        const std::int64_t first = std::max(ranges.first[k], operations.first);
        const std::int64_t last = std::min(ranges.last[k], stop);
        if (first >= last) continue;
        const auto window = static_cast<std::size_t>(ranges.window[k]);
        const auto begin = static_cast<std::size_t>(first - operations.first);
        const auto end = static_cast<std::size_t>(last - operations.first);
        std::int64_t* counts = counts_.data() + window * places_;
        for (std::size_t position = begin; position < end; ++position)
            ++counts[static_cast<std::size_t>(kinds.place[static_cast<std::size_t>(operations.kind[position])])];
        if (kinds.is_timed.empty()) continue;
        times_[window] += timed(operations, begin, end, kinds);
        const auto* cut = std::lower_bound(left_out.begin(), left_out.end(), first);
        for (; cut != left_out.end() && *cut < last; ++cut) {
            const auto place = static_cast<std::size_t>(*cut - operations.first);
            times_[window] -= timed(operations, place, place + 1, kinds);
        }
    }
}

WindowCounts::Time WindowCounts::timed(const FollowingOperations& operations, std::size_t begin, std::size_t end,
                                       const CountedKinds& kinds) {
    Time time = 0;
    for (std::size_t position = begin; position < end; ++position) {
        if (kinds.is_timed[static_cast<std::size_t>(operations.kind[position])] != 0)
            time += operations.duration[position];
        if (operations.parent[position] >= 0 &&
            kinds.is_timed[static_cast<std::size_t>(operations.parent[position])] != 0)
            time -= operations.duration[position];
    }
    return time;
}

void WindowCounts::merge(const WindowCounts& other) {
    if (other.windows_ != windows_ || other.places_ != places_) throw std::invalid_argument("counts of other windows");
    for (std::size_t k = 0; k < counts_.size(); ++k) counts_[k] += other.counts_[k];
    for (std::size_t k = 0; k < times_.size(); ++k) times_[k] += other.times_[k];
}

}  // namespace tilescope
