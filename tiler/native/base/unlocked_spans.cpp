#include "base/unlocked_spans.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace tilescope {

std::int64_t monotonic_ns() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

void UnlockedSpans::start() {
    const std::scoped_lock adding(adding_);
    spans_.clear();
    dropped_ = 0;
    is_on_.store(true);
}

void UnlockedSpans::add(const UnlockedSpan& span) {
    const std::scoped_lock adding(adding_);
    if (!is_on_.load()) return;
    if (spans_.size() < most) {
        spans_.push_back(span);
    } else {
        ++dropped_;
    }
}

std::vector<UnlockedSpan> UnlockedSpans::take(std::size_t& dropped) {
    const std::scoped_lock adding(adding_);
    dropped = std::exchange(dropped_, 0);
    return std::exchange(spans_, {});
}

}  // namespace tilescope
