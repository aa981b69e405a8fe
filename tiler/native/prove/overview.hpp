// The overview of a track of slices: of each bin the busiest row, and its dominant name.
#pragma once

#include <limits>
#include <vector>

#include "prove/parts.hpp"

namespace tilescope {

struct ProveEntry {
    int64_t bin, busy, name;
};

class ProveOverview {
  public:
    ProveOverview(int level, const ProveRows& rows, ProveMemory& memory)
        : level_(level), rows_(rows), parts_(memory), covered_(memory), spans_(memory), next_free_(memory) {}

    // Merged parts of complete bins of its level, of slices shorter than two bins in leaves below it.
    void add(Span<const ProvePart> parts);

    // The next leaf: what of it is not told of by `add`.
    void leaf(int level, int64_t start, int64_t stop, const ProveSliceSeries& slices);

    // Completes the bins that end until a tick, before which nothing is to come.
    void complete_until(int64_t tick);

    const std::vector<ProveEntry>& entries() const { return entries_; }

  private:
    // A bin that a slice covers from end to end: of all such rows the topmost.
    struct Covered {
        int64_t bin, row, name;
    };
    struct Stretch {
        int64_t row, name, first, stop;  // bins
    };

    void merge_if_worth();
    void cover(int64_t first_bin, std::size_t bins);
    void sum_up(int64_t bin, Span<const ProvePart> parts, const Covered* covered);

    static constexpr int64_t kNoBin = std::numeric_limits<int64_t>::max();

    int level_;
    ProveRows rows_;
    ProveParts parts_;
    std::size_t merged_ = 0;
    int64_t lowest_ = kNoBin;  // no part lies in a bin before this one
    ProveVector<Covered> covered_;
    ProveVector<Stretch> spans_;  // of the leaf at hand
    ProveVector<std::size_t> next_free_;
    std::vector<ProveEntry> entries_;
};

}  // namespace tilescope
