// Sums per name: of a leaf, and of tiles from those of their leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "prove/memory.hpp"
#include "prove/page.hpp"

namespace tilescope {

struct ProveNameSum {
    int64_t name, count, busy, self, duration, longest, shortest;
};

// Slices of a name whose durations are of a bucket of docs/page-format.md.
struct ProveBucket {
    int64_t name, bucket, count;

    bool operator<(const ProveBucket& other) const {
        return name != other.name ? name < other.name : bucket < other.bucket;
    }
};

class ProveNames {
  public:
    explicit ProveNames(ProveMemory& memory) : sums_(memory), places_(memory), later_(memory), buckets_(memory) {}

    // The slices of a leaf [start, stop), in the order of their ordinals.
    void add_leaf(const ProveSliceSeries& slices, int64_t start, int64_t stop);
    void add(const ProveNames& other);
    // All of it under one name.
    void add_as(const ProveNames& other, int64_t name);
    // In no order, each name once.
    const ProveVector<ProveNameSum>& sums() const { return sums_; }
    // In their order, each once.
    const ProveVector<ProveBucket>& buckets() {
        sum_buckets();
        return buckets_;
    }

  private:
    ProveNameSum& at(int64_t name);
    void add_sum(const ProveNameSum& part, int64_t name);
    void widen();
    void sum_buckets();
    void sum_many_buckets();

    ProveVector<ProveNameSum> sums_;
    ProveVector<uint32_t> places_;  // place in sums_ + 1 by hash; 0: none
    ProveVector<std::pair<int64_t, int64_t>> later_;
    ProveVector<ProveBucket> buckets_;
    std::size_t summed_ = 0;  // of them, the last time
};

}  // namespace tilescope
