#include "prove/ladder.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {

namespace {

// A leaf has 256 bins of its own level, so it is one bin of the level so many above.
constexpr int kLeafLevels = 4;

// Fewer parts are copied, so that both sides keep their memory.
constexpr std::size_t kWorthMoving = 4096;

}  // namespace

void ProvePile::add_all(ProveParts& parts) {
    if (parts_.empty() && parts.size() >= kWorthMoving) {
        parts_.swap(parts);
    } else {
        parts_.insert(parts_.end(), parts.begin(), parts.end());
    }
    parts.clear();
    if (parts.capacity() >= kWorthMoving) ProveParts(parts.get_allocator()).swap(parts);
    if (parts_.size() >= worth_merging_) merge();
}

void ProvePile::move_to(ProveParts& parts) {
    if (parts.empty() && parts_.size() >= kWorthMoving) {
        parts_.swap(parts);
    } else {
        parts.insert(parts.end(), parts_.begin(), parts_.end());
    }
    parts_.clear();
    if (parts_.capacity() >= kWorthMoving) ProveParts(parts_.get_allocator()).swap(parts_);
    worth_merging_ = kWorthMerging;
}

void ProvePile::merge() {
    merge_parts(parts_);
    worth_merging_ = std::max(kWorthMerging, 2 * parts_.size());
}

void ProveLadder::leaf(int level, int64_t start, int64_t stop, const ProveSliceSeries& slices, LadderScratch& scratch) {
    complete_until(start);
    int highest = level;
    slices.each([&](const ProveSlice& slice) {
        const int entry = binned_level(slice.duration, level + 1);
        if (entry > root_ || !rows_.has(slice.row)) return;
        highest = std::max(highest, entry);
        const ProveClip part = clip(slice, start, stop);
        const uint64_t lane = ProvePart::lane_of(slice.row, slice.name);
        const int shift = 2 * entry;
        int64_t from = part.first;
        int64_t count = slice.start >= start ? 1 : 0;
        const int64_t last = part.last() >> shift;
        ProvePile& entering = scratch.entering[static_cast<std::size_t>(entry)];
        for (int64_t bin = from >> shift; bin <= last; ++bin) {
            const int64_t until = std::min(part.stop, (bin + 1) << shift);
            entering.add({bin, lane, until - from, count, slice.duration});
            from = until;
            count = 0;
        }
    });
    ProveParts& rising = scratch.rising;
    rising.clear();
    for (int z = level + 1; z <= root_ && (z <= highest || !rising.empty()); ++z) {
        scratch.entering[static_cast<std::size_t>(z)].move_to(rising);
        if (z < level + kLeafLevels) {
            merge_parts(rising);
            emit(z, rising);
            for (ProvePart& part : rising) part.bin >>= 2;
        } else if (!rising.empty()) {
            add(z, rising);
        }
    }
    rising.clear();
}

void ProveLadder::complete_until(int64_t tick) {
    for (int z = 0; z <= root_; ++z) {
        const auto index = static_cast<std::size_t>(z);
        if (!open_[index].empty() && (bin_[index] + 1) << (2 * z) <= tick) finish(z);
    }
}

const ProveVector<ProveBin>& ProveLadder::kept() {
    std::sort(kept_.begin(), kept_.end(),
              [](const ProveBin& a, const ProveBin& b) { return a.row != b.row ? a.row < b.row : a.bin < b.bin; });
    return kept_;
}

// Adds parts of one bin, which is the one in work or, if that is complete, a later one.
void ProveLadder::add(int level, ProveParts& parts) {
    const auto index = static_cast<std::size_t>(level);
    if (!open_[index].empty() && bin_[index] != parts[0].bin) finish(level);
    bin_[index] = parts[0].bin;
    open_[index].add_all(parts);
}

void ProveLadder::finish(int level) {
    ProveParts parts(kept_.get_allocator());
    open_[static_cast<std::size_t>(level)].move_to(parts);
    merge_parts(parts);
    emit(level, parts);
    if (level == root_) return;
    for (ProvePart& part : parts) part.bin >>= 2;
    add(level + 1, parts);
}

void ProveLadder::emit(int level, const ProveParts& parts) {
    ProveBinSet& complete = complete_[static_cast<std::size_t>(level)];
    const Span<const ProvePart> all = parts;
    for (std::size_t first = 0; first < all.size();) {
        std::size_t last = first + 1;
        const auto is_of_bin = [&](const ProvePart& part) {
            return part.bin == all[first].bin && part.lane >> 32 == all[first].lane >> 32;
        };
        while (last < all.size() && is_of_bin(all[last])) ++last;
        const ProveBin bin = sum_of(all.subspan(first, last - first));
        complete.add(bin);
        if (level == kept_level_) kept_.push_back(bin);
        first = last;
    }
    if (level == completed_level_ && !parts.empty()) on_complete_(all);
}

}  // namespace tilescope
