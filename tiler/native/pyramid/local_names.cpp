#include "pyramid/local_names.hpp"

#include <algorithm>

namespace tilescope {

namespace {

constexpr int64_t kDense = int64_t{1} << 22;

// Names among so few, or of so many slices each, are not worth a table of those that there are.
constexpr std::size_t kNear = 1024;
constexpr std::size_t kSlicesEach = 16;

}  // namespace

LocalNames::LocalNames(const std::vector<SliceColumns>& tracks) {
    int32_t lowest = INT32_MAX, highest = INT32_MIN;
    std::size_t slices_together = 0;
    for (const SliceColumns& slices : tracks) {
        slices_together += slices.size();
        for (const int32_t name : slices.name) {
            lowest = std::min(lowest, name);
            highest = std::max(highest, name);
        }
    }
    if (lowest > highest) return;
    const int64_t least = lowest, most = highest;
    least_ = least;
    if (most - least < static_cast<int64_t>(std::max(kNear, slices_together / kSlicesEach))) {
        near_ = static_cast<std::size_t>(most - least + 1);
        names_.resize(near_);
        // Counted from zero on: behind the highest name there may be no number.
        for (std::size_t k = 0; k < names_.size(); ++k) names_[k] = lowest + static_cast<int32_t>(k);
        return;
    }
    if (most - least < kDense) {
        dense_.assign(static_cast<std::size_t>(most - least + 1), 0);
        for (const SliceColumns& slices : tracks) {
            for (const int32_t name : slices.name) dense_[static_cast<std::size_t>(name - least)] = 1;
        }
        for (std::size_t offset = 0; offset < dense_.size(); ++offset) {
            if (dense_[offset] == 0) continue;
            dense_[offset] = static_cast<uint32_t>(names_.size());
            names_.push_back(static_cast<int32_t>(least + static_cast<int64_t>(offset)));
        }
        return;
    }
    for (const SliceColumns& slices : tracks) {
        for (const int32_t name : slices.name) {
            if (others_.emplace(name, 0).second) names_.push_back(name);
        }
    }
    std::sort(names_.begin(), names_.end());
    for (std::size_t k = 0; k < names_.size(); ++k) others_[names_[k]] = static_cast<uint32_t>(k);
}

}  // namespace tilescope
