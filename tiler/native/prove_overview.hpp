// The overview of a track of slices: of each bin the busiest row, and its dominant name.
#pragma once

#include <vector>

#include "prove_parts.hpp"

namespace tilescope {

struct ProveEntry {
    int64_t bin, busy, name;
};

class ProveOverview {
  public:
    explicit ProveOverview(int level) : level_(level) {}

    // Merged parts of complete bins of its level, of slices shorter than two bins in leaves below it.
    void add(const ProvePart* first, const ProvePart* last);

    // The next leaf: what of it is not told of by `add`.
    void leaf(int level, int64_t start, int64_t stop, const std::vector<ProveSlice>& slices);

    // Completes the bins that end until a tick, before which nothing is to come.
    void complete_until(int64_t tick);

    const std::vector<ProveEntry>& entries() const { return entries_; }

  private:
    // A bin that a slice covers from end to end: of all such rows the topmost.
    struct Covered {
        int64_t bin, row, name;
    };
    struct Span {
        int64_t row, name, first, stop;  // bins
    };

    void cover(int64_t first_bin, std::size_t bins);
    void sum_up(int64_t bin, const ProvePart* first, const ProvePart* last, const Covered* covered);

    static constexpr int64_t kNoBin = std::numeric_limits<int64_t>::max();

    int level_;
    ProveParts parts_;
    std::size_t merged_ = 0;
    int64_t lowest_ = kNoBin;  // no part lies in a bin before this one
    std::vector<Covered> covered_;
    std::vector<Span> spans_;  // of the leaf at hand
    std::vector<ProveEntry> entries_;
};

}  // namespace tilescope
