// The bins of a track's slices at all levels, from its leaves in the order of time.
//
// A level has one bin in work: the one in which the time at hand lies. A slice enters at the lowest level at which it is
// shorter than two bins, with what each leaf has of it; a bin that is complete goes up as part of the one above. So each
// slice is in one level's memory at a time, and no more than what lies in bins that are not complete. Of complete bins
// only their number and hash are kept.
#pragma once

#include <array>
#include <functional>

#include "prove/hash.hpp"
#include "prove/parts.hpp"
#include "prove/rows.hpp"
#include "prove/tree.hpp"

namespace tilescope {

// Parts that are gathered: they are merged whenever they have become twice as many.
class ProvePile {
  public:
    explicit ProvePile(ProveMemory& memory) : parts_(memory) {}

    bool empty() const { return parts_.empty(); }
    void add(const ProvePart& part) {
        parts_.push_back(part);
        if (parts_.size() >= worth_merging_) merge();
    }
    // Takes all of `parts`, which are left empty.
    void add_all(ProveParts& parts);
    // Appends all to `parts`, and is empty.
    void move_to(ProveParts& parts);

  private:
    static constexpr std::size_t kWorthMerging = 2048;

    void merge();

    ProveParts parts_;
    std::size_t worth_merging_ = kWorthMerging;
};

using ProvePiles = std::vector<ProvePile>;  // by level

// Memory that the tracks of a block take turns with.
struct LadderScratch {
    explicit LadderScratch(ProveMemory& memory) : entering(kProveLevels, ProvePile(memory)), rising(memory) {}
    ProvePiles entering;
    ProveParts rising;
};

class ProveLadder {
  public:
    // Told the merged parts of complete bins of one level.
    using Complete = std::function<void(Span<const ProvePart> parts)>;

    // Takes slices in these rows; calls `on_complete` with the bins of `completed_level`.
    ProveLadder(int root_level, int completed_level, Complete on_complete, const ProveRows& rows, ProveMemory& memory)
        : root_(root_level),
          completed_level_(completed_level),
          on_complete_(std::move(on_complete)),
          rows_(rows),
          open_(kProveLevels, ProvePile(memory)),
          kept_(memory) {}

    // The next leaf, with all slices that are in it.
    void leaf(int level, int64_t start, int64_t stop, const ProveSliceSeries& slices, LadderScratch& scratch);

    // Completes the bins that end until a tick, before which no slice is to come.
    void complete_until(int64_t tick);

    // The bins of a level that were completed since it was asked last.
    ProveBinSet take_complete(int level) { return std::exchange(complete_.at(static_cast<std::size_t>(level)), {}); }

    // Bins of this level are kept, too; `kept` gives them in the order (row, bin).
    void keep(int level) { kept_level_ = level; }
    const ProveVector<ProveBin>& kept();

  private:
    void add(int level, ProveParts& parts);
    void finish(int level);
    void emit(int level, const ProveParts& parts);

    int root_, completed_level_, kept_level_ = -1;
    Complete on_complete_;
    ProveRows rows_;
    ProvePiles open_;  // parts of the bin in work
    std::array<int64_t, kProveLevels> bin_{};  // that bin
    std::array<ProveBinSet, kProveLevels> complete_{};
    ProveVector<ProveBin> kept_;
};

}  // namespace tilescope
