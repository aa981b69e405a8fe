// The bins of a track's slices at all levels, from its leaves in the order of time.
//
// A level has one bin in work: the one in which the time at hand lies. A slice enters at the lowest level at which it is
// shorter than two bins, with what each leaf has of it; a bin that is complete goes up as part of the one above. So each
// slice is in one level's memory at a time, and no more than what lies in bins that are not complete.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "prove_parts.hpp"
#include "prove_tree.hpp"

namespace tilescope {

// Memory that the tracks of a block take turns with.
struct LadderScratch {
    std::array<ProveParts, kProveLevels> entering;
    ProveParts rising;
};

class ProveLadder {
  public:
    // Told the merged parts of complete bins of one level.
    using Complete = std::function<void(const ProvePart* first, const ProvePart* last)>;

    ProveLadder(int root_level, int told_level, Complete told)
        : root_(root_level), told_level_(told_level), told_(std::move(told)) {}

    // The next leaf, with all slices that are in it.
    void leaf(int level, int64_t start, int64_t stop, const std::vector<ProveSlice>& slices, LadderScratch& scratch);

    // Completes the bins that end until a tick, before which no slice is to come.
    void complete_until(int64_t tick);

    // The bins of a level that are complete and were not asked for, in the order (row, bin); bins from tick 0 on.
    std::vector<ProveBin>& complete(int level);

  private:
    struct Level {
        int64_t bin = 0;         // that is in work
        ProveParts open;         // its parts so far
        std::size_t merged = 0;  // the first of them, which are merged
        std::vector<ProveBin> done;
    };

    void add(int level, const ProvePart* first, const ProvePart* last);
    void finish(int level);
    void emit(int level, const ProveParts& parts);

    int root_, told_level_;
    Complete told_;
    std::array<Level, kProveLevels> levels_;
};

}  // namespace tilescope
