// The slices of a rollup's tracks, side by side: gone through once, from one time to the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "pyramid/kept_slices.hpp"

namespace tilescope {

class RollupSweep {
  public:
    explicit RollupSweep(const std::vector<const KeptSlices*>& tracks) {
        cursors_.reserve(tracks.size());
        for (const KeptSlices* track : tracks) {
            cursors_.emplace_back(*track);
            next_start_.push_back(cursors_.back().next_start());
        }
    }

    // Number of slices that are yet to come and start before `stop`.
    size_t count_before(int64_t stop) {
        size_t count = 0;
        for (size_t track = 0; track < cursors_.size(); ++track)
            if (next_start_[track] < stop) count += cursors_[track].count_before(stop);
        return count;
    }

    // At least and at most so many: nothing is read to tell.
    std::pair<size_t, size_t> bounds_before(int64_t stop) const {
        std::pair<size_t, size_t> all;
        for (size_t track = 0; track < cursors_.size(); ++track) {
            if (next_start_[track] >= stop) continue;
            const auto [least, most] = cursors_[track].bounds_before(stop);
            all.first += least;
            all.second += most;
        }
        return all;
    }

    // True if there are any.
    bool any_before(int64_t stop) const {
        return std::any_of(next_start_.begin(), next_start_.end(), [stop](int64_t start) { return start < stop; });
    }

    // Passes over the slices that start before `time`, of which none has been taken. See `SliceCursor::pass_to`.
    template <typename Visit>
    size_t pass_to(int64_t time, const Visit& visit) {
        size_t passed = 0;
        for (size_t track = 0; track < cursors_.size(); ++track) {
            passed += cursors_[track].pass_to(time, visit);
            next_start_[track] = cursors_[track].next_start();
        }
        return passed;
    }

    // Takes the slices that start before `stop`, track by track: sums do not depend on their order.
    template <typename Visit>
    void take_before(int64_t stop, const Visit& visit) {
        for (size_t track = 0; track < cursors_.size(); ++track) {
            if (next_start_[track] >= stop) continue;
            cursors_[track].take_before(stop, visit);
            next_start_[track] = cursors_[track].next_start();
        }
    }

  private:
    std::vector<SliceCursor> cursors_;
    std::vector<int64_t> next_start_;  // side by side, for a quick look at all tracks
};

}  // namespace tilescope
