// Goes over a track's slices once, and tells each span of time what its names have of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <type_traits>
#include <unordered_map>

#include "base/counted.hpp"
#include "pyramid/slice_track.hpp"

namespace tilescope {

// Spans of time that follow each other without gaps. Sums are `NameSums`, or others with the same two methods.
class NameSweep {
  public:
    // What is open at once is taken from `budget`: ShortOfBudget.
    explicit NameSweep(const SliceColumns& slices, MemoryBudget* budget = nullptr)
        : slices_(slices), crossing_({}, CountedVector<Running>(budget)), stack_(budget) {}

    // Adds the sums of [start, stop), which begins where the last span ended.
    template <typename Sums>
    void add(int64_t start, int64_t stop, Sums& sums) {
        if (start == stop) return;  // or names that run there would have rows of nothing
        if (!crossing_.empty()) add_crossing(start, stop, sums);
        for (; next_ < slices_.size() && slices_.start[next_] < stop; ++next_) {
            const int64_t first = slices_.start[next_];
            const Running slice{slices_.end(next_), slices_.name[next_]};
            sums.add_start(slice.name, slice.end - first).busy += ticks(first, std::min(slice.end, stop));
            if (slice.end > stop) {
                crossing_.push(slice);
                ++crossing_names_[slice.name];
            }
            if (slice.end == first) continue;
            pass_to(first, sums);
            while (!stack_.empty() && stack_.back().end <= slice.end) stack_.pop_back();
            stack_.push_back(slice);
        }
        pass_to(stop, sums);
    }

  private:
    struct Running {
        int64_t end;
        int32_t name;
        bool operator<(const Running& other) const { return end > other.end; }  // a queue's top is the next to end
    };

    static uint64_t ticks(int64_t first, int64_t last) { return static_cast<uint64_t>(last - first); }

    // Slices that began before the span.
    template <typename Sums>
    void add_crossing(int64_t start, int64_t stop, Sums& sums) {
        for (const auto& [name, number] : crossing_names_) {
            auto& busy = sums.at(name).busy;
            busy += static_cast<std::remove_reference_t<decltype(busy)>>(number) * ticks(start, stop);
        }
        while (!crossing_.empty() && crossing_.top().end <= stop) {
            const Running slice = crossing_.top();
            crossing_.pop();
            sums.at(slice.name).busy -= ticks(slice.end, stop);
            const auto found = crossing_names_.find(slice.name);
            if (--found->second == 0) crossing_names_.erase(found);
        }
    }

    // Gives the time from `now_` to `time` to the slices that are on top meanwhile.
    template <typename Sums>
    void pass_to(int64_t time, Sums& sums) {
        while (!stack_.empty() && stack_.back().end <= time) {
            sums.at(stack_.back().name).self += ticks(now_, stack_.back().end);
            now_ = stack_.back().end;
            stack_.pop_back();
        }
        if (!stack_.empty() && now_ < time) sums.at(stack_.back().name).self += ticks(now_, time);
        now_ = time;
    }

    SliceColumns slices_;
    size_t next_ = 0;
    std::priority_queue<Running, CountedVector<Running>>
        crossing_;  // slices that run beyond the span in which they start
    std::unordered_map<int32_t, uint64_t> crossing_names_;
    // Those that have self time now or later, the last started on top. A slice that ends no later than one above it
    // never comes on top again and is not kept, so ends decrease upwards.
    CountedVector<Running> stack_;
    int64_t now_ = 0;
};

}  // namespace tilescope
