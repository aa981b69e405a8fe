#include "prove_ladder.hpp"

#include <algorithm>

namespace tilescope {

namespace {

// A leaf has 256 bins of its own level, so it is one bin of the level so many above.
constexpr int kLeafLevels = 4;

// Parts of a bin in work are merged when they have become twice as many, but not fewer than these.
constexpr std::size_t kWorthMerging = 1024;

}  // namespace

void ProveLadder::leaf(int level, int64_t start, int64_t stop, const std::vector<ProveSlice>& slices, LadderScratch& scratch) {
    complete_until(start);
    int highest = level;
    for (const ProveSlice& slice : slices) {
        const int entry = binned_level(slice.duration, level + 1);
        if (entry > root_) continue;
        highest = std::max(highest, entry);
        const ProveClip part = clip(slice, start, stop);
        const uint64_t lane = ProvePart::lane_of(slice.row, slice.name);
        const int shift = 2 * entry;
        int64_t from = part.first;
        int64_t count = slice.start >= start ? 1 : 0;
        const int64_t last = part.last() >> shift;
        ProveParts& entering = scratch.entering[static_cast<std::size_t>(entry)];
        for (int64_t bin = from >> shift; bin <= last; ++bin) {
            const int64_t until = std::min(part.stop, (bin + 1) << shift);
            entering.push_back({bin, lane, until - from, count, slice.duration});
            from = until;
            count = 0;
        }
    }
    ProveParts& rising = scratch.rising;
    rising.clear();
    for (int z = level + 1; z <= root_ && (z <= highest || !rising.empty()); ++z) {
        ProveParts& entering = scratch.entering[static_cast<std::size_t>(z)];
        rising.insert(rising.end(), entering.begin(), entering.end());
        entering.clear();
        if (z < level + kLeafLevels) {
            merge_parts(rising);
            emit(z, rising);
            for (ProvePart& part : rising) part.bin >>= 2;
        } else {
            if (!rising.empty()) add(z, rising.data(), rising.data() + rising.size());
            rising.clear();
        }
    }
}

void ProveLadder::complete_until(int64_t tick) {
    for (int z = 0; z <= root_; ++z) {
        const Level& at = levels_[static_cast<std::size_t>(z)];
        if (!at.open.empty() && (at.bin + 1) << (2 * z) <= tick) finish(z);
    }
}

std::vector<ProveBin>& ProveLadder::complete(int level) {
    auto& done = levels_[static_cast<std::size_t>(level)].done;
    const auto before = [](const ProveBin& a, const ProveBin& b) { return a.row != b.row ? a.row < b.row : a.bin < b.bin; };
    if (!std::is_sorted(done.begin(), done.end(), before)) std::sort(done.begin(), done.end(), before);
    return done;
}

// Adds parts of one bin, which is the one in work or, if that is complete, a later one.
void ProveLadder::add(int level, const ProvePart* first, const ProvePart* last) {
    Level& at = levels_[static_cast<std::size_t>(level)];
    if (!at.open.empty() && at.bin != first->bin) finish(level);
    at.bin = first->bin;
    at.open.insert(at.open.end(), first, last);
    if (at.open.size() > 2 * std::max(at.merged, kWorthMerging)) {
        merge_parts(at.open);
        at.merged = at.open.size();
    }
}

void ProveLadder::finish(int level) {
    Level& at = levels_[static_cast<std::size_t>(level)];
    ProveParts parts;
    parts.swap(at.open);
    at.merged = 0;
    merge_parts(parts);
    emit(level, parts);
    if (level == root_) return;
    for (ProvePart& part : parts) part.bin >>= 2;
    add(level + 1, parts.data(), parts.data() + parts.size());
}

void ProveLadder::emit(int level, const ProveParts& parts) {
    auto& done = levels_[static_cast<std::size_t>(level)].done;
    const ProvePart* end = parts.data() + parts.size();
    for (const ProvePart* first = parts.data(); first != end;) {
        const ProvePart* last = first + 1;
        while (last != end && last->bin == first->bin && last->lane >> 32 == first->lane >> 32) ++last;
        done.push_back(sum_of(first, last));
        first = last;
    }
    if (level == told_level_ && !parts.empty()) told_(parts.data(), end);
}

}  // namespace tilescope
