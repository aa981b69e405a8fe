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

// Spans of time that follow each other without gaps. Sums are `NameSums`, or others with the same methods: all that one sweep
// is told of have the same keys of names.
class NameSweep {
  public:
    // What is open at once is taken from `budget`: ShortOfBudget.
    explicit NameSweep(const SliceColumns& slices, MemoryBudget* budget = nullptr)
        : slices_(slices), crossing_({}, CountedVector<Running>(budget)), stack_(budget) {}

    // What was added to all names together. Sums wrap.
    struct Total {
        bool any = false;  // whether any slice begins or runs there
        uint64_t busy = 0;
        uint64_t self = 0;
        uint64_t duration = 0;  // of slices that begin there
        int64_t longest = 0;
        int64_t shortest = INT64_MAX;
    };

    // Adds the sums of [start, stop), which begins where the last span ended.
    template <typename Sums>
    Total add(int64_t start, int64_t stop, Sums& sums) {
        Total total;
        if (start == stop) return total;  // or names that run there would have rows of nothing
        total.any = !crossing_.empty();
        if (!crossing_.empty()) total.busy += add_crossing(start, stop, sums);
        if (!stack_.empty()) total.self += give_open(start, stop, sums);
        for (; next_ < slices_.size() && slices_.start[next_] < stop; ++next_) {
            if (next_ + kAhead < slices_.size()) sums.fetch(slices_.name[next_ + kAhead]);
            const int64_t first = slices_.start[next_];
            const Running slice(slices_.end(next_), sums.key(slices_.name[next_]));
            const uint64_t inside = ticks(first, std::min(slice.end, stop));
            auto& sum = sums.add_start(slice.key, slice.end - first);
            sum.busy += inside;
            sum.self += inside;
            total.any = true;
            total.busy += inside;
            total.self += inside;
            total.duration += ticks(first, slice.end);
            total.longest = std::max(total.longest, slice.end - first);
            total.shortest = std::min(total.shortest, slice.end - first);
            if (slice.end > stop) {
                crossing_.emplace(slice.end, slice.key);
                ++crossing_names_[slice.key];
            }
            if (slice.end == first) continue;
            while (!stack_.empty() && stack_.back().end <= first) stack_.pop_back();
            if (!stack_.empty()) total.self -= take_self(slice.end, first, stop, sums);
            stack_.emplace_back(slice.end, slice.key);  // not as a whole: it was just written in parts
        }
        return total;
    }

  private:
    using Key = int32_t;  // of a name, as sums tell it

    struct Running {
        Running(int64_t its_end, Key its_key) : end(its_end), key(its_key) {}

        int64_t end;
        Key key;
        bool operator<(const Running& other) const { return end > other.end; }  // a queue's top is the next to end
    };

    // Slices whose sums are fetched before it is their turn: tables of many names are larger than caches.
    static constexpr std::size_t kAhead = 8;

    static uint64_t ticks(int64_t first, int64_t last) { return static_cast<uint64_t>(last - first); }

    // Slices that began before the span. Returns the busy time of all, as the next two return the self time.
    template <typename Sums>
    uint64_t add_crossing(int64_t start, int64_t stop, Sums& sums) {
        uint64_t total = 0;
        for (const auto& [key, number] : crossing_names_) {
            auto& busy = sums.at(key).busy;
            busy += static_cast<std::remove_reference_t<decltype(busy)>>(number) * ticks(start, stop);
            total += number * ticks(start, stop);
        }
        while (!crossing_.empty() && crossing_.top().end <= stop) {
            const Running slice = crossing_.top();
            crossing_.pop();
            sums.at(slice.key).busy -= ticks(slice.end, stop);
            total -= ticks(slice.end, stop);
            const auto found = crossing_names_.find(slice.key);
            if (--found->second == 0) crossing_names_.erase(found);
        }
        return total;
    }

    // Gives the span to the slices that run on from before, as if none began in it. Those that are looked at end in the span, but
    // for one.
    template <typename Sums>
    uint64_t give_open(int64_t start, int64_t stop, Sums& sums) {
        while (!stack_.empty() && stack_.back().end <= start) stack_.pop_back();
        int64_t from = start;
        for (std::size_t k = stack_.size(); k-- > 0 && from < stop;) {
            const int64_t to = std::min(stack_[k].end, stop);
            sums.at(stack_[k].key).self += ticks(from, to);
            from = to;
        }
        return ticks(start, from);
    }

    // A slice takes the time from `first` to its end from those that would have had it, and those that it outlasts off the stack.
    template <typename Sums>
    uint64_t take_self(int64_t end, int64_t first, int64_t stop, Sums& sums) {
        const int64_t last = std::min(end, stop);
        int64_t from = first;
        while (!stack_.empty() && from < last) {
            const int64_t to = std::min(stack_.back().end, last);
            sums.at(stack_.back().key).self -= ticks(from, to);
            from = to;
            if (stack_.back().end > end) return ticks(first, from);
            stack_.pop_back();
        }
        while (!stack_.empty() && stack_.back().end <= end) stack_.pop_back();
        return ticks(first, from);
    }

    SliceColumns slices_;
    size_t next_ = 0;
    std::priority_queue<Running, CountedVector<Running>>
        crossing_;  // slices that run beyond the span in which they start
    std::unordered_map<Key, uint64_t> crossing_names_;
    // Those that have self time now or later, the last started on top. A slice that ends no later than one above it
    // never comes on top again and is not kept, so ends decrease upwards. Each has had its time up to the end of the span, as if
    // nothing more began in it.
    CountedVector<Running> stack_;
};

}  // namespace tilescope
