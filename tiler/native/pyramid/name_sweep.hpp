// Goes over a track's slices once, and tells each span of time what its names have of it.
#pragma once

#include <algorithm>
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
    // What is open at once is taken from `budget`: ShortOfBudget.
    explicit NameSweep(const SliceColumns& slices, MemoryBudget* budget = nullptr)
        : slices_(slices), crossing_(budget), stack_(budget) {}

    // Adds the sums of [start, stop), which begins where the last span ended.
    template <typename Sums>
    void add(int64_t start, int64_t stop, Sums& sums) {
        if (start == stop) return;  // or names that run there would have rows of nothing
        add_crossing(start, stop, sums);
        give_open(start, stop, sums);
        std::size_t k = next_;  // for the compiler, what is written to sums might be any number that is no local one
        for (const std::size_t n = slices_.size(); k < n && slices_.start[k] < stop; ++k) {
            if (k + kAhead < n) sums.fetch(slices_.name[k + kAhead]);
            const int64_t first = slices_.start[k];
            const int64_t end = slices_.end(k);
            const Key key = sums.key(slices_.name[k]);
            const uint64_t inside = ticks(first, std::min(end, stop));
            auto& sum = sums.add_start(key, end - first);
            sum.busy += inside;
            sum.self += inside;
            if (end > stop) crossing_.add(end, key);
            if (end == first) continue;
            while (!stack_.empty() && stack_.back().end <= first) stack_.pop_back();
            if (!stack_.empty()) {
                if (stack_.back().end > end)
                    sums.at(stack_.back().key).self -= inside;  // as most of them are: within another
                else take_self(end, first, stop, sums);
            }
            stack_.emplace_back(end, key);  // not as a whole: it was just written in parts
        }
        next_ = k;
    }

  private:
    using Key = Crossing::Key;  // of a name, as sums tell it

    struct Running {
        Running(int64_t its_end, Key its_key) : end(its_end), key(its_key) {}

        int64_t end;
        Key key;
    };

    // Slices whose sums are fetched before it is their turn: tables of many names are larger than caches.
    static constexpr std::size_t kAhead = 8;

    static uint64_t ticks(int64_t first, int64_t last) { return static_cast<uint64_t>(last - first); }

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
        while (!stack_.empty() && stack_.back().end <= start) stack_.pop_back();
        int64_t from = start;
        for (std::size_t k = stack_.size(); k-- > 0 && from < stop;) {
            const int64_t to = std::min(stack_[k].end, stop);
            sums.at(stack_[k].key).self += ticks(from, to);
            from = to;
        }
    }

    // A slice takes the time from `first` to its end from those that would have had it, and those that it outlasts off the stack.
    template <typename Sums>
    void take_self(int64_t end, int64_t first, int64_t stop, Sums& sums) {
        const int64_t last = std::min(end, stop);
        int64_t from = first;
        while (!stack_.empty() && from < last) {
            const int64_t to = std::min(stack_.back().end, last);
            sums.at(stack_.back().key).self -= ticks(from, to);
            from = to;
            if (stack_.back().end > end) return;
            stack_.pop_back();
        }
        while (!stack_.empty() && stack_.back().end <= end) stack_.pop_back();
    }

    SliceColumns slices_;
    size_t next_ = 0;
    Crossing crossing_;
    // Those that have self time now or later, the last started on top. A slice that ends no later than one above it
    // never comes on top again and is not kept, so ends decrease upwards. Each has had its time up to the end of the span, as if
    // nothing more began in it.
    CountedVector<Running> stack_;
};

}  // namespace tilescope
