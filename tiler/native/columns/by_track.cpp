#include "columns/by_track.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace tilescope {

namespace {

// Numbers of tracks that lie so far apart, against the rows, are compared rather than counted.
constexpr std::size_t most_counters_per_row = 4;
constexpr std::size_t few_counters = 4096;

std::vector<std::uint32_t> numbered(std::size_t n) {
    std::vector<std::uint32_t> order(n);
    for (std::size_t row = 0; row < n; ++row) order[row] = static_cast<std::uint32_t>(row);
    return order;
}

std::vector<std::uint32_t> counted_order(Span<const std::int32_t> track, std::int64_t least, std::size_t counters) {
    std::vector<std::uint32_t> next(counters, 0);
    const auto counter = [least](std::int32_t number) { return static_cast<std::size_t>(number - least); };
    for (const std::int32_t number : track) ++next[counter(number)];
    std::uint32_t sum = 0;
    for (std::uint32_t& place : next) {
        const std::uint32_t count = place;
        place = sum;
        sum += count;
    }
    std::vector<std::uint32_t> order(track.size());
    for (std::size_t row = 0; row < track.size(); ++row) {
        order[next[counter(track[row])]++] = static_cast<std::uint32_t>(row);
    }
    return order;
}

}  // namespace

RowsByTrack rows_by_track(Span<const std::int32_t> track) {
    RowsByTrack result;
    const std::size_t n = track.size();
    if (n == 0) return result;
    if (n > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("too many rows");
    if (!std::is_sorted(track.begin(), track.end())) {
        const auto [least, most] = std::minmax_element(track.begin(), track.end());
        const auto counters = static_cast<std::size_t>(std::int64_t{*most} - *least) + 1;
        if (counters <= most_counters_per_row * n + few_counters) {
            result.order = counted_order(track, *least, counters);
        } else {
            result.order = numbered(n);
            std::stable_sort(result.order.begin(), result.order.end(),
                             [track](std::uint32_t a, std::uint32_t b) { return track[a] < track[b]; });
        }
    }
    const auto track_at = [&](std::size_t place) { return track[result.order.empty() ? place : result.order[place]]; };
    for (std::size_t place = 0; place < n; ++place) {
        const std::int32_t number = track_at(place);
        if (result.tracks.empty() || result.tracks.back() != number) {
            if (place > 0) result.stops.push_back(static_cast<std::int64_t>(place));
            result.tracks.push_back(number);
        }
    }
    result.stops.push_back(static_cast<std::int64_t>(n));
    return result;
}

StringsInOrder strings_in_order(Span<const std::int64_t> ends, Bytes data, const std::vector<std::uint32_t>& order) {
    std::int64_t before = 0;
    for (const std::int64_t end : ends) {
        if (end < before) throw std::invalid_argument("ends decrease");
        before = end;
    }
    if (before > static_cast<std::int64_t>(data.size())) throw std::invalid_argument("ends lie beyond the data");
    StringsInOrder out;
    out.ends.ensure(order.size());
    for (const std::uint32_t row : order) {
        if (row >= ends.size()) throw std::out_of_range("rows that are not there");
        const auto begin = static_cast<std::size_t>(row == 0 ? 0 : ends[row - 1]);
        const auto size = static_cast<std::size_t>(ends[row]) - begin;
        out.data.ensure(size);
        out.data.append_unchecked(data.subspan(begin, size));
        out.ends.push_unchecked(static_cast<std::int64_t>(out.data.size()));
    }
    return out;
}

}  // namespace tilescope
