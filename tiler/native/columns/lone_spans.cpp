#include "columns/lone_spans.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace tilescope {

void LoneSpans::share(std::int64_t kind) {
    const auto place = static_cast<std::size_t>(kind);
    if (place >= shares_.size()) shares_.resize(place + 1);
    shares_[place] = 1;
}

void LoneSpans::add(Span<const std::int64_t> kind, Span<const std::int64_t> start, Span<const std::int64_t> length) {
    if (start.size() != kind.size() || length.size() != kind.size())
        throw std::invalid_argument("columns of different lengths");
    for (std::size_t k = 0; k < kind.size(); ++k) {
        const std::int64_t begin = start[k], ticks = std::max<std::int64_t>(length[k], 0);
        if (kind[k] < 0) throw std::invalid_argument("a kind below 0");
        if (begin < last_start_) throw std::invalid_argument("events that are not in the order of their starts");
        if (begin > std::numeric_limits<std::int64_t>::max() - ticks)
            throw std::invalid_argument("an end beyond all times");
        last_start_ = begin;
        const std::int64_t stop = begin + ticks;
        if (begin < end_ && ticks > 0) {
            // Whatever was open from before it: the one that lasts longest, which all between share time with as well.
            share(outer_);
            share(kind[k]);
        }
        if (stop <= end_) continue;
        ticks_ += static_cast<std::uint64_t>(stop - (begin < end_ ? end_ : begin));
        end_ = stop;
        outer_ = kind[k];
    }
}

std::vector<std::int64_t> LoneSpans::alone(std::size_t kinds) const {
    std::vector<std::int64_t> alone(kinds, 1);
    for (std::size_t place = 0; place < kinds && place < shares_.size(); ++place)
        if (shares_[place] != 0) alone[place] = 0;
    return alone;
}

}  // namespace tilescope
