// Sums per name: of a leaf, and of tiles from those of their leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "prove/memory.hpp"
#include "prove/page.hpp"

namespace tilescope {

struct ProveNameSum {
    int64_t name, count, busy, self, longest;
};

class ProveNames {
  public:
    explicit ProveNames(ProveMemory& memory) : sums_(memory), places_(memory), later_(memory) {}

    // The slices of a leaf [start, stop), in the order of their ordinals.
    void add_leaf(const ProveSliceSeries& slices, int64_t start, int64_t stop);
    void add(const ProveNames& other);
    // In no order, each name once.
    const ProveVector<ProveNameSum>& sums() const { return sums_; }

  private:
    ProveNameSum& at(int64_t name);
    void widen();

    ProveVector<ProveNameSum> sums_;
    ProveVector<uint32_t> places_;  // place in sums_ + 1 by hash; 0: none
    ProveVector<std::pair<int64_t, int64_t>> later_;
};

}  // namespace tilescope
