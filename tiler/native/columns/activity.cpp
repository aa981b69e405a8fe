#include "columns/activity.hpp"

#include <algorithm>

namespace tilescope {

// Keeps one of the first slices, or has bins from now on: true.
bool Activity::leave_few(std::int64_t start, std::int64_t duration) {
    if (few_.size() == kFew) {
        *this = binned();
        return true;
    }
    few_.push_back({start, duration});
    return false;
}

Activity Activity::binned() const {
    if (few_.empty()) return *this;
    Activity result;
    result.bins_.resize(kBins);
    for (const Slice& slice : few_) result.add(slice.start, slice.duration);
    return result;
}

void Activity::widen(std::int64_t start, std::int64_t last) {
    // Bin numbers of the whole time axis fit in 63 bits, so that differences do not overflow.
    if (!any_) {
        any_ = true;
        shift_ = 1;
        first_ = start >> shift_;
        last_ = first_;
    }
    while (true) {
        const std::int64_t first = std::min(first_, start >> shift_);
        const std::int64_t end = std::max(last_, last >> shift_);
        if (end - first < kBins) {
            first_ = first;
            last_ = end;
            return;
        }
        std::vector<std::int64_t> wider(kBins);
        for (std::int64_t bin = first_; bin <= last_; ++bin) wider[slot(bin >> 1)] += at(bin);
        bins_.swap(wider);
        first_ >>= 1;
        last_ >>= 1;
        ++shift_;
    }
}

void Activity::spread(std::int64_t start, std::int64_t last) {
    const std::int64_t from = start >> shift_;
    const std::int64_t to = last >> shift_;
    const std::int64_t mask = (std::int64_t{1} << shift_) - 1;
    at(from) += mask + 1 - (start & mask);
    for (std::int64_t bin = from + 1; bin < to; ++bin) at(bin) += mask + 1;
    at(to) += (last & mask) + 1;
}

void Activity::Many::add_elsewhere(std::int64_t start, std::int64_t duration) {
    done();
    activity_.add(start, duration);
    if (!activity_.any_) return;
    const std::int64_t mask = (std::int64_t{1} << activity_.shift_) - 1;
    first_ = start & ~mask;
    last_ = start | mask;
}

}  // namespace tilescope
