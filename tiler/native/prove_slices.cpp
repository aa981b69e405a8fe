#include "prove_slices.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "prove_failure.hpp"

namespace tilescope {

ProveSlices::ProveSlices(const ProveTree& tree, int root_level, int overview_level, int64_t rows, int64_t names, int64_t end,
                         SlicesScratch& scratch, Histogram histogram)
    : tree_(tree),
      root_(root_level),
      scratch_(scratch),
      histogram_(std::move(histogram)),
      leaves_(tree, rows, names, end),
      overview_(overview_level),
      ladder_(root_level, overview_level, [this](const ProvePart* first, const ProvePart* last) { overview_.add(first, last); }) {
    scratch_.by_row.resize(std::max(scratch_.by_row.size(), static_cast<std::size_t>(rows)));
}

void ProveSlices::enter(std::size_t tile, bool has_histogram) {
    if (!has_histogram) return;
    lowest_names_ = tree_.level[tile];
    levels_[tree_.level[tile]].names = std::make_unique<ProveNames>();
}

void ProveSlices::leave(std::size_t tile, const ProveTile& found) {
    const int level = tree_.level[tile];
    const int64_t start = tree_.start(tile), stop = tree_.stop(tile);
    if (tree_.is_leaf(tile)) {
        leaves_.leaf(tile, found.slices);
        ladder_.leaf(level, start, stop, found.slices, scratch_.ladder);
        overview_.leaf(level, start, stop, found.slices);
        if (lowest_names_ < kProveLevels) levels_[static_cast<std::size_t>(lowest_names_)].names->add_leaf(found.slices, start, stop);
        keep(level + 1, start, found.slices);
    } else {
        ladder_.complete_until(stop);
        check_individuals(tile, found.slices);
        check_bins(tile, found.bins);
        individuals_ += static_cast<int64_t>(found.slices.size());
        bins_ += static_cast<int64_t>(found.bins.size());
        Level& at = levels_[static_cast<std::size_t>(level)];
        keep(level + 1, start, at.kept);
        at.kept.clear();
        at.begun = false;
    }
    add_sums(tile, found);
    close_names(tile);
}

void ProveSlices::finish() {
    leaves_.finish();
    ladder_.complete_until(INT64_MAX);
    overview_.complete_until(INT64_MAX);
}

// Takes what tiles of the level above keep of a tile: what starts in it, and of the first below them what reaches in, too.
void ProveSlices::keep(int level, int64_t start, const std::vector<ProveSlice>& slices) {
    if (level > root_) return;
    Level& above = levels_[static_cast<std::size_t>(level)];
    for (const ProveSlice& slice : slices) {
        if (slice.duration >> (2 * level + 1) == 0) continue;
        if (slice.start >= start || !above.begun) above.kept.push_back(slice);
    }
    above.begun = true;
}

void ProveSlices::check_individuals(std::size_t tile, const std::vector<ProveSlice>& found) const {
    const auto& expected = levels_[tree_.level[tile]].kept;
    if (found.size() != expected.size()) {
        throw WrongTile(tile, std::to_string(found.size()) + " single slices, from the events there are " + std::to_string(expected.size()));
    }
    const int64_t start = tree_.start(tile);
    for (std::size_t k = 0; k < found.size(); ++k) {
        const ProveSlice& is = found[k];
        const ProveSlice& should = expected[k];
        const auto compare = [&](const char* what, int64_t a, int64_t b) {
            if (a == b) return;
            throw WrongTile(tile, "single slice " + std::to_string(is.ordinal) + ": " + what + " is " + std::to_string(a) +
                                      ", from the events it is " + std::to_string(b));
        };
        compare("ordinal", is.ordinal, should.ordinal);
        compare("start", is.start, should.start);
        compare("duration", is.duration, should.duration);
        compare("row", is.row, should.row);
        compare("name", is.name, should.name);
        compare("flags", is.flags, (should.flags & ~kProveReachesIn) | (should.start < start ? kProveReachesIn : 0));
    }
}

void ProveSlices::check_bins(std::size_t tile, const std::vector<ProveBin>& found) {
    std::vector<ProveBin>& expected = ladder_.complete(tree_.level[tile]);
    compare_bins(tile, expected, found);
    expected.clear();
    if (expected.capacity() > 1 << 16) expected.shrink_to_fit();
}

// Per row, count and busy time of a tile are the sums of those of the four tiles below, as they are stored.
void ProveSlices::add_sums(std::size_t tile, const ProveTile& found) {
    std::vector<ProveRowSum>& by_row = scratch_.by_row;
    std::vector<int64_t>& rows = scratch_.rows;
    const auto add = [&](int64_t row, int64_t count, uint64_t busy) {
        ProveRowSum& sum = by_row[static_cast<std::size_t>(row)];
        if (sum.row == 0) rows.push_back(row);
        sum.row = 1;  // it has been touched
        sum.count += count;
        sum.busy += busy;
    };
    const auto take = [&](std::vector<ProveRowSum>& out) {
        std::sort(rows.begin(), rows.end());
        for (const int64_t row : rows) {
            ProveRowSum& sum = by_row[static_cast<std::size_t>(row)];
            out.push_back({row, sum.count, sum.busy});
            sum = {};
        }
        rows.clear();
    };
    Level& at = levels_[tree_.level[tile]];
    const int64_t start = tree_.start(tile), stop = tree_.stop(tile);
    for (const ProveSlice& slice : found.slices) {
        const ProveClip part = clip(slice, start, stop);
        add(slice.row, slice.start >= start ? 1 : 0, static_cast<uint64_t>(part.stop - part.first));
    }
    for (const ProveBin& bin : found.bins) add(bin.row, bin.count, static_cast<uint64_t>(bin.busy));
    std::vector<ProveRowSum> sums;
    take(sums);
    if (!tree_.is_leaf(tile)) {
        std::vector<ProveRowSum> below;
        for (const ProveRowSum& sum : at.below) add(sum.row, sum.count, sum.busy);
        take(below);
        at.below.clear();
        at.below.shrink_to_fit();
        for (std::size_t k = 0; k < std::max(sums.size(), below.size()); ++k) {
            const ProveRowSum is = k < sums.size() ? sums[k] : ProveRowSum{INT64_MAX, 0, 0};
            const ProveRowSum should = k < below.size() ? below[k] : ProveRowSum{INT64_MAX, 0, 0};
            if (is.row == should.row && is.count == should.count && is.busy == should.busy) continue;
            const int64_t row = std::min(is.row, should.row);
            const auto text = [&](const ProveRowSum& sum) {
                return std::to_string(sum.row == row ? sum.count : 0) + " events and " + std::to_string(sum.row == row ? sum.busy : 0) + " busy ticks";
            };
            throw WrongTile(tile, "row " + std::to_string(row) + ": " + text(is) + ", in the tiles below it " + text(should));
        }
    }
    if (tree_.level[tile] == root_) return;
    auto& above = levels_[static_cast<std::size_t>(tree_.level[tile]) + 1].below;
    above.insert(above.end(), sums.begin(), sums.end());
}

void ProveSlices::close_names(std::size_t tile) {
    const std::size_t level = tree_.level[tile];
    if (levels_[level].names == nullptr) return;
    const std::unique_ptr<ProveNames> names = std::move(levels_[level].names);
    histogram_(tile, *names);
    const bool above = static_cast<int>(level) < root_ && levels_[level + 1].names != nullptr;
    if (above) levels_[level + 1].names->add(*names);
    lowest_names_ = above ? static_cast<int>(level) + 1 : kProveLevels;
}

}  // namespace tilescope
