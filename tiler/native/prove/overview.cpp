#include "prove/overview.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilescope {

namespace {

constexpr std::size_t kWorthMerging = 1024;
constexpr std::size_t kWorthKeeping = 1 << 16;  // memory for so many spans is given back after a leaf

}  // namespace

void ProveOverview::add(Span<const ProvePart> parts) {
    parts_.insert(parts_.end(), parts.begin(), parts.end());
    lowest_ = std::min(lowest_, parts.front().bin);
}

void ProveOverview::leaf(int level, int64_t start, int64_t stop, const ProveSliceSeries& slices) {
    complete_until(start);
    const int shift = 2 * level_;
    const bool one_bin = start >> shift == (stop - 1) >> shift;
    spans_.clear();
    if (!slices.empty()) lowest_ = std::min(lowest_, start >> shift);
    slices.each([&](const ProveSlice& slice) {
        if (!rows_.has(slice.row)) return;
        if (level < level_ && binned_level(slice.duration, level_) == level_) return;  // in the ladder
        const ProveClip part = clip(slice, start, stop);
        const uint64_t lane = ProvePart::lane_of(slice.row, slice.name);
        const int64_t count = slice.start >= start ? 1 : 0;
        const int64_t first = part.first >> shift, last = part.last() >> shift;
        const int64_t covered_from = (part.first + (int64_t{1} << shift) - 1) >> shift, covered_to = part.stop >> shift;
        if (one_bin || first == last) {
            parts_.push_back({first, lane, part.stop - part.first, count, slice.duration});
            merge_if_worth();
            return;
        }
        if (first < covered_from)
            parts_.push_back({first, lane, ((first + 1) << shift) - part.first, count, slice.duration});
        if (last >= covered_to) parts_.push_back({last, lane, part.stop - (last << shift), 0, slice.duration});
        if (covered_from < covered_to) spans_.push_back({slice.row, slice.name, covered_from, covered_to});
        merge_if_worth();
    });
    if (!spans_.empty()) cover(start >> shift, static_cast<std::size_t>((stop >> shift) - (start >> shift)));
    if (spans_.capacity() > kWorthKeeping) ProveVector<Stretch>(spans_.get_allocator()).swap(spans_);
}

void ProveOverview::merge_if_worth() {
    if (parts_.size() <= 2 * std::max(merged_, kWorthMerging)) return;
    merge_parts(parts_);
    merged_ = parts_.size();
}

// Finds the topmost row that covers each bin of a leaf: topmost first, each passing over the bins that are taken.
void ProveOverview::cover(int64_t first_bin, std::size_t bins) {
    std::sort(spans_.begin(), spans_.end(), [](const Stretch& a, const Stretch& b) { return a.row < b.row; });
    ProveVector<std::size_t>& next_free = next_free_;
    next_free.resize(bins + 1);
    std::iota(next_free.begin(), next_free.end(), std::size_t{0});
    const auto free_from = [&](std::size_t bin) {
        std::size_t free = bin;
        while (next_free[free] != free) free = next_free[free];
        while (next_free[bin] != free) bin = std::exchange(next_free[bin], free);
        return free;
    };
    const std::size_t before = covered_.size();
    for (const Stretch& span : spans_) {
        const auto stop = static_cast<std::size_t>(span.stop - first_bin);
        for (std::size_t bin = free_from(static_cast<std::size_t>(span.first - first_bin)); bin < stop;
             bin = free_from(bin)) {
            covered_.push_back({first_bin + static_cast<int64_t>(bin), span.row, span.name});
            next_free[bin] = bin + 1;
        }
    }
    std::sort(covered_.begin() + static_cast<std::ptrdiff_t>(before), covered_.end(),
              [](const Covered& a, const Covered& b) { return a.bin < b.bin; });
}

void ProveOverview::complete_until(int64_t tick) {
    const int64_t stop = tick >> (2 * level_);  // the first bin that is not complete
    if (lowest_ >= stop) return;
    merge_parts(parts_);
    std::size_t part = 0, covered = 0;
    for (;;) {
        const bool has_part = part < parts_.size() && parts_[part].bin < stop;
        const bool has_covered = covered < covered_.size() && covered_[covered].bin < stop;
        if (!has_part && !has_covered) break;
        const int64_t bin = !has_covered ? parts_[part].bin
                            : !has_part  ? covered_[covered].bin
                                         : std::min(parts_[part].bin, covered_[covered].bin);
        std::size_t last = part;
        while (last < parts_.size() && parts_[last].bin == bin) ++last;
        const bool is_covered = has_covered && covered_[covered].bin == bin;
        const Span<const ProvePart> of_bin = Span<const ProvePart>(parts_).subspan(part, last - part);
        sum_up(bin, of_bin, is_covered ? &covered_[covered] : nullptr);
        part = last;
        if (is_covered) ++covered;
    }
    parts_.erase(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(part));
    if (parts_.empty() && parts_.capacity() > kWorthKeeping) ProveParts(parts_.get_allocator()).swap(parts_);
    covered_.erase(covered_.begin(), covered_.begin() + static_cast<std::ptrdiff_t>(covered));
    merged_ = parts_.size();
    lowest_ = std::min(parts_.empty() ? kNoBin : parts_[0].bin, covered_.empty() ? kNoBin : covered_[0].bin);
}

void ProveOverview::sum_up(int64_t bin, Span<const ProvePart> parts, const Covered* covered) {
    ProveBin best{};
    bool has_best = covered != nullptr;
    if (covered != nullptr) best = {covered->row, bin, 0, int64_t{1} << (2 * level_), covered->name, 0, 0};
    for (std::size_t first = 0, last = 0; first < parts.size(); first = last) {
        while (last < parts.size() && parts[last].row() == parts[first].row()) ++last;
        const ProveBin row = sum_of(parts.subspan(first, last - first));
        if (!has_best || row.busy > best.busy || (row.busy == best.busy && row.row < best.row)) best = row;
        has_best = true;
    }
    entries_.push_back({bin, best.busy, best.name});
}

}  // namespace tilescope
