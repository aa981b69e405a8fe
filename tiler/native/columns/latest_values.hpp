// The latest values of a member, the last one and those before: for a thing that a file names more than once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tilescope {

// The distinct values of a member, in the order in which each came last. Of more than `kMost` the latest are kept, so that what
// is kept of a whole file is the same whether it is read at once or in parts.
template <typename T>
class LatestValues {
  public:
    void add(T value) {
        const auto same = std::find(values_.begin(), values_.end(), value);
        if (same != values_.end()) {
            values_.erase(same);
        } else if (values_.size() == kMost) {
            values_.erase(values_.begin());
        }
        values_.push_back(std::move(value));
    }

    // Adds those of a later part of the file.
    void add_all(const LatestValues& later) {
        for (const T& value : later.values_) add(value);
    }

    const std::vector<T>& values() const { return values_; }

  private:
    static constexpr std::size_t kMost = 8;

    std::vector<T> values_;
};

}  // namespace tilescope
