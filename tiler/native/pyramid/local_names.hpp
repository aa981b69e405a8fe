// Numbers for the names of some tracks, so that tables of them are small, whatever the ids of names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pyramid/slice_track.hpp"

namespace tilescope {

// Numbers ascend from 0 on, as their names do. Where these are near each other, there may be some that no slice has.
class LocalNames {
  public:
    explicit LocalNames(const std::vector<SliceColumns>& tracks);
    // Takes names of tracks, in place of their slices'.
    explicit LocalNames(std::vector<int32_t> names) : names_(std::move(names)) {}

    std::size_t size() const { return names_.size(); }
    int32_t name(uint32_t number) const { return names_.at(number); }
    // The number of a name that a slice has.
    uint32_t number(int32_t name) const {
        const auto offset = static_cast<uint64_t>(int64_t{name} - least_);
        if (offset < near_) return static_cast<uint32_t>(offset);
        return offset < dense_.size() ? dense_[offset] : others_.at(name);
    }

  private:
    std::vector<int32_t> names_;
    int64_t least_ = 0;
    std::size_t near_ = 0;         // so many names from the least on have numbers that follow each other
    std::vector<uint32_t> dense_;  // by name, from the least on
    std::unordered_map<int32_t, uint32_t> others_;  // where names lie too far apart
};

}  // namespace tilescope
