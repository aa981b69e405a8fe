#include "pyramid/enclosing.hpp"

#include <stdexcept>

namespace tilescope {

std::vector<std::int64_t> InnermostSlices::find(Span<const std::int64_t> times) {
    std::vector<std::int64_t> slices;
    slices.reserve(times.size());
    if (!times.empty() && times.front() < before_) *this = InnermostSlices(start_, duration_);
    for (const std::int64_t time : times) {
        if (time < before_) throw std::invalid_argument("times are not in order");
        before_ = time;
        slices.push_back(find(time));
    }
    return slices;
}

std::int64_t InnermostSlices::find(std::int64_t now) {
    const auto end = [&](std::size_t k) { return start_[k] + duration_[k]; };
    for (; next_ < start_.size() && start_[next_] <= now; ++next_) {
        if (next_ > 0 && start_[next_] < start_[next_ - 1]) throw std::invalid_argument("slices are not in time order");
        while (!open_.empty() && end(open_.back()) <= end(next_)) open_.pop_back();
        open_.push_back(next_);
    }
    while (!open_.empty() && end(open_.back()) <= now && start_[open_.back()] != now) {
        last_ended_ = static_cast<std::int64_t>(open_.back());
        open_.pop_back();
    }
    if (!open_.empty()) return static_cast<std::int64_t>(open_.back());
    const bool touches = last_ended_ >= 0 && end(static_cast<std::size_t>(last_ended_)) == now;
    return touches ? last_ended_ : -1;
}

}  // namespace tilescope
