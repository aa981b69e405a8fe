// Goes over a track's slices once, and tells each span of time what its names have of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/counted.hpp"
#include "pyramid/crossing.hpp"
#include "pyramid/slice_track.hpp"

namespace tilescope {

// Spans of time that follow each other without gaps. Sums are `NameSums`, or others with the same methods: all that one sweep
// is told of have the same keys of names.
class NameSweep {
  public:
    // Takes memory for what is open at once from `budget`: ShortOfBudget.
    explicit NameSweep(const SliceColumns& slices, MemoryBudget* budget = nullptr)
        : slices_(slices), crossing_(budget), stack_(budget) {}

    // Adds the sums of [start, stop), which begins where the last span ended.
    template <typename Sums>
    void add(int64_t start, int64_t stop, Sums& sums) {
        if (start == stop) return;  // or names that run there would have rows of nothing
        add_crossing(start, stop, sums);
        give_open(start, stop, sums);
        const Span<const int64_t> starts = slices_.start;
        const auto* const last = std::lower_bound(starts.begin() + next_, starts.end(), stop);
        const auto n = static_cast<std::size_t>(last - starts.begin());
        while (next_ < n) add_some(std::min(n, next_ + kAtOnce), stop, sums);
    }

  private:
    using Key = Crossing::Key;  // of a name, as sums tell it

    struct Running {
        int64_t end;
        Key key;
    };

    // Slices of which the keys are known before it is their turn: tables of many names are larger than caches.
    static constexpr std::size_t kAtOnce = 32;

    static uint64_t ticks(int64_t first, int64_t last) { return static_cast<uint64_t>(last - first); }

    // Adds the slices that start next in the span that ends at `stop`, up to this one.
    template <typename Sums>
    void add_some(std::size_t last, int64_t stop, Sums& sums) {
        std::array<Key, kAtOnce> keys;  // NOLINT(cppcoreguidelines-pro-type-member-init): written at once
        const std::size_t from = next_;
        sums.start(slices_.name.subspan(from, last - from), slices_.duration.subspan(from, last - from), keys.data());
        if (stack_.size() < depth_ + kAtOnce) stack_.resize(2 * stack_.size() + kAtOnce);
        Running* const stack = stack_.data();
        std::size_t depth = depth_;  // for the compiler, what is written to sums might be any number but a local one
        for (std::size_t k = from; k < last; ++k) {
            const int64_t first = slices_.start[k];
            const int64_t end = slices_.end(k);
            const Key key = keys[k - from];
            const uint64_t inside = ticks(first, std::min(end, stop));
            auto& sum = sums.add_start(key, end - first);
            sum.busy += inside;
            sum.self += inside;
            if (end > stop) crossing_.add(end, key);
            if (end == first) continue;
            while (depth > 0 && stack[depth - 1].end <= first) --depth;
            if (depth > 0) {
                const Running& top = stack[depth - 1];
                if (top.end > end) sums.at(top.key).self -= inside;  // as most of them are: within another
                else depth = take_self(depth, end, first, stop, sums);
            }
            stack[depth].end = end;  // not as a whole: it was just written in parts
            stack[depth].key = key;
            ++depth;
        }
        depth_ = depth;
        next_ = last;
    }

    // Slices that began before the span.
    template <typename Sums>
    void add_crossing(int64_t start, int64_t stop, Sums& sums) {
        crossing_.go_on(
            start, stop,
            [&sums](Key key, uint64_t number, uint64_t ticks) {
                auto& busy = sums.at(key).busy;
                busy += static_cast<std::remove_reference_t<decltype(busy)>>(number) * ticks;
            },
            [&sums](Key key, uint64_t ticks) { sums.at(key).busy -= ticks; });
    }

    // Gives the span to the slices that run on from before, as if none began in it. Those that are looked at end in the span, but
    // for one.
    template <typename Sums>
    void give_open(int64_t start, int64_t stop, Sums& sums) {
        while (depth_ > 0 && stack_[depth_ - 1].end <= start) --depth_;
        int64_t from = start;
        for (std::size_t k = depth_; k-- > 0 && from < stop;) {
            const int64_t to = std::min(stack_[k].end, stop);
            sums.at(stack_[k].key).self += ticks(from, to);
            from = to;
        }
    }

    // A slice takes the time from `first` to its end from those that would have had it, and those that it outlasts off the stack.
    // Returns how many are left there.
    template <typename Sums>
    std::size_t take_self(std::size_t depth, int64_t end, int64_t first, int64_t stop, Sums& sums) const {
        const int64_t last = std::min(end, stop);
        int64_t from = first;
        while (depth > 0 && from < last) {
            const Running& top = stack_[depth - 1];
            const int64_t to = std::min(top.end, last);
            sums.at(top.key).self -= ticks(from, to);
            from = to;
            if (top.end > end) return depth;
            --depth;
        }
        while (depth > 0 && stack_[depth - 1].end <= end) --depth;
        return depth;
    }

    SliceColumns slices_;
    size_t next_ = 0;
    Crossing crossing_;
    // Running slices that have self time now or later, the last started on top. A slice that ends no later than one
    // above it never comes on top again and is not kept, so ends decrease upwards. Each has had its time up to the end
    // of the span, as if nothing more began in it. The first depth_ of those that there is room for.
    CountedVector<Running> stack_;
    std::size_t depth_ = 0;
};

}  // namespace tilescope
