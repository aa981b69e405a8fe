// Parts of bins that lie in one another: each is summed up once for each name, where two bins become one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "pyramid/tiles.hpp"

namespace tilescope {

// The place of the latest part of each name. It may be out of date: whoever asks looks at the part. So it is never
// emptied, and each thread has one for all tracks that it works on, one after the other. Memory: four bytes a name.
class PartHints {
  public:
    uint32_t& at(int32_t name) {
        const auto place = static_cast<size_t>(int64_t{name} + 1);  // of a name below -1, it is beyond all others
        return place < dense_.size() ? dense_[place] : beyond(name);
    }

    static PartHints& of_thread() {
        static thread_local PartHints hints;
        return hints;
    }

  private:
    static constexpr size_t kDense = 1 << 22;  // ids beyond are looked up in a table

    uint32_t& beyond(int32_t name) {
        if (name < -1) throw std::invalid_argument("a name is no number of a name");
        const auto place = static_cast<size_t>(int64_t{name} + 1);
        if (place >= kDense) return others_[name];
        dense_.resize(std::min(std::max(place + 1, 2 * dense_.size()), kDense));
        return dense_[place];
    }

    std::vector<uint32_t> dense_;
    std::unordered_map<int32_t, uint32_t> others_;
};

// Slices of a row do not overlap, so that together they are shorter than any run; where they do, the sum is some number.
inline int64_t add_ticks(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// The parts of a row, as time goes on. Those of a name are linked in the order of time; two neighbours are joined when the
// lowest bin that has both is closed, which happens once for each: however many levels there are, parts are not summed
// again at each of them. Memory: 32 bytes for each name in each bin that is part of another one which is still open.
class NestedParts {
  public:
    static constexpr uint32_t kNone = UINT32_MAX;

    struct Node {
        int64_t busy;
        uint64_t seen;   // which bins were open when the latest slice of it came, as its owner counts them
        uint32_t count;  // a track has fewer slices
        int32_t name;    // kFree: it is no part
        uint32_t left;   // of the same name; of those that are free, the next
        uint32_t right;

        Part part() const { return {name, busy, count}; }
    };

    explicit NestedParts(MemoryBudget* budget) : nodes_(budget) {}

    Node& operator[](uint32_t index) { return nodes_[index]; }
    const Node& operator[](uint32_t index) const { return nodes_[index]; }

    // The place at which the latest part of a name is written down, to be looked up once for `latest` and `append`.
    uint32_t& hint(int32_t name) { return hints_.at(name); }

    // The latest part of a name; kNone: it has none.
    uint32_t latest(uint32_t hint, int32_t name) const {
        return hint < size_ && nodes_[hint].name == name ? hint : kNone;
    }

    // A new part of a name whose latest is `left`. It is written field by field: a temporary one would be copied by other units
    // than those in which it was just written, and wait for these.
    uint32_t append(uint32_t& hint, int32_t name, int64_t busy, uint32_t count, uint64_t seen, uint32_t left) {
        const uint32_t added = size_ < kFresh ? fresh() : reused();
        Node& node = nodes_[added];
        node.busy = busy;
        node.seen = seen;
        node.count = count;
        node.name = name;
        node.left = left;
        node.right = kNone;
        if (left != kNone) nodes_[left].right = added;
        hint = added;
        return added;
    }

    // Joins a part with the one before it, which is returned. The other one may be looked at until the next `append`.
    uint32_t join(uint32_t index) {
        Node& right = nodes_[index];
        const uint32_t joined = right.left;
        Node& left = nodes_[joined];
        left.busy = add_ticks(left.busy, right.busy);
        left.count += right.count;
        left.seen = right.seen;
        left.right = right.right;
        (right.right == kNone ? hints_.at(right.name) : nodes_[right.right].left) = joined;
        right.name = kFree;
        right.left = free_;
        free_ = index;
        return joined;
    }

    void clear() {
        size_ = 0;
        free_ = kNone;
    }

  private:
    static constexpr int32_t kFree = -2;  // no name

    // So many are made, which take 256 KB, before those are used again that are free: whether there is one is hard to guess.
    static constexpr uint32_t kFresh = 8192;

    uint32_t fresh() {
        if (size_ == room_) {
            nodes_.resize(std::max<size_t>(64, 2 * nodes_.size()));
            room_ = static_cast<uint32_t>(nodes_.size());
        }
        return size_++;
    }

    uint32_t reused() {
        if (free_ == kNone) return fresh();
        return std::exchange(free_, nodes_[free_].left);
    }

    PartHints& hints_ = PartHints::of_thread();
    CountedVector<Node> nodes_;
    uint32_t size_ = 0;  // how many are in use, or were
    uint32_t room_ = 0;
    uint32_t free_ = kNone;
};

}  // namespace tilescope
