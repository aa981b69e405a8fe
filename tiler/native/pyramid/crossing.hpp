// Slices that run beyond the span of time in which they start, while spans follow each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <unordered_map>

#include "base/counted.hpp"

namespace tilescope {

// Memory: by what is open at once, from `budget`: ShortOfBudget.
class Crossing {
  public:
    using Key = int32_t;  // of a name

    explicit Crossing(MemoryBudget* budget) : slices_({}, CountedVector<Slice>(budget)) {}

    bool empty() const { return slices_.empty(); }
    void add(int64_t end, Key key) {
        slices_.push({end, key});
        ++keys_[key];
    }

    // Goes on with slices that began before [start, stop): calls `add` with each key, how many there are of it, and the
    // ticks that each has if all run to its end; and then `take_back`, one by one, with the key of one that does not,
    // and the ticks that it does not have.
    template <typename Add, typename TakeBack>
    void go_on(int64_t start, int64_t stop, const Add& add, const TakeBack& take_back) {
        if (slices_.empty()) return;
        for (const auto& [key, number] : keys_) add(key, number, static_cast<uint64_t>(stop - start));
        while (!slices_.empty() && slices_.top().end <= stop) {
            const Slice slice = slices_.top();
            slices_.pop();
            take_back(slice.key, static_cast<uint64_t>(stop - slice.end));
            const auto entry = keys_.find(slice.key);
            if (--entry->second == 0) keys_.erase(entry);
        }
    }

  private:
    struct Slice {
        int64_t end;
        Key key;
        bool operator<(const Slice& other) const { return end > other.end; }  // a queue's top is the next to end
    };

    std::priority_queue<Slice, CountedVector<Slice>> slices_;
    std::unordered_map<Key, uint64_t> keys_;  // how many there are of each
};

}  // namespace tilescope
