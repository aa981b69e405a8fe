#include "prove/slices.hpp"

#include <utility>

#include "prove/failure.hpp"

namespace tilescope {

ProveSlices::ProveSlices(const ProveTree& tree, const ProveRun& run, int64_t track_rows, const ProveRows& rows,
                         const ProvePages::Fetch& fetch, LadderScratch& scratch, Histogram histogram,
                         ProveMemory& memory)
    : tree_(tree),
      root_(run.root_level),
      rows_(rows),
      scratch_(scratch),
      memory_(memory),
      histogram_(std::move(histogram)),
      explain_(tree, fetch, memory),
      leaves_(tree, rows.are_first() ? track_rows : 0, run.names, run.end, explain_, memory),
      overview_(run.overview_level, rows, memory),
      ladder_(
          run.root_level, run.overview_level, [this](Span<const ProvePart> parts) { overview_.add(parts); }, rows,
          memory) {}

void ProveSlices::enter(std::size_t tile, bool has_histogram) {
    if (!has_histogram || !rows_.are_first()) return;
    lowest_names_ = tree_.level[tile];
    at(lowest_names_).names = std::make_unique<ProveNames>(memory_);
}

void ProveSlices::leave(std::size_t tile, const ProveTile& stored) {
    const int level = tree_.level[tile];
    const int64_t start = tree_.start(tile), stop = tree_.stop(tile);
    const bool all = rows_.are_first();
    if (tree_.is_leaf(tile)) {
        if (all) leaves_.leaf(tile, stored.slices);
        ladder_.leaf(level, start, stop, stored.slices, scratch_);
        overview_.leaf(level, start, stop, stored.slices);
        if (all && lowest_names_ < kProveLevels) at(lowest_names_).names->add_leaf(stored.slices, start, stop);
        if (all) take_individuals(level, start, stored.slices);
    } else {
        ladder_.complete_until(stop);
        if (all) check_individuals(tile, stored.slices);
        check_bins(tile, stored.bins);
        individuals_ += static_cast<int64_t>(stored.slices.size());
        bins_ += static_cast<int64_t>(stored.bins.size());
    }
    if (!all) return;
    add_sums(tile, stored);
    close_names(tile);
}

void ProveSlices::finish() {
    if (rows_.are_first()) leaves_.finish();
    ladder_.complete_until(INT64_MAX);
    overview_.complete_until(INT64_MAX);
}

// Single slices of the tiles above a leaf: what starts in it, and of the first leaf of each of them what reaches in, too.
void ProveSlices::take_individuals(int level, int64_t start, const ProveSliceSeries& slices) {
    slices.each([&](const ProveSlice& slice) {
        for (int z = level + 1; z <= root_ && slice.duration >> (2 * z + 1) != 0; ++z) {
            Level& above = at(z);
            if (slice.start >= start || !above.begun) above.individuals.add(slice);
        }
    });
    for (int z = level + 1; z <= root_; ++z) at(z).begun = true;
}

void ProveSlices::check_individuals(std::size_t tile, const ProveSliceSeries& stored) {
    Level& level = at(tree_.level[tile]);
    const int64_t start = tree_.start(tile);
    ProveSequence is;
    bool marked = true;
    stored.each([&](const ProveSlice& slice) {
        is.add(slice);
        marked &= ((slice.flags & kProveReachesIn) != 0) == (slice.start < start);
    });
    if (!marked || !(is == level.individuals)) explain_.individuals(tile);
    level.individuals = {};
    level.begun = false;
}

void ProveSlices::check_bins(std::size_t tile, const ProveBinSeries& stored) {
    ProveBinSet is;
    stored.each([&](const ProveBin& bin) {
        if (rows_.has(bin.row)) is.add(bin);
    });
    if (!(is == ladder_.take_complete(tree_.level[tile]))) explain_.bins(tile, rows_);
}

// Per row, count and busy time of a tile are the sums of those of the four tiles below, as they are stored.
void ProveSlices::add_sums(std::size_t tile, const ProveTile& stored) {
    const int level = tree_.level[tile];
    const int64_t start = tree_.start(tile), stop = tree_.stop(tile);
    ProveRowSums sums;
    stored.slices.each([&](const ProveSlice& slice) {
        const ProveClip part = clip(slice, start, stop);
        sums.add(slice.row, slice.start >= start ? 1 : 0, part.stop - part.first);
    });
    stored.bins.each([&](const ProveBin& bin) { sums.add(bin.row, bin.count, bin.busy); });
    if (!tree_.is_leaf(tile)) {
        if (!(sums == at(level).below)) explain_.row_sums(tile);
        at(level).below = {};
    }
    if (level < root_) at(level + 1).below.add(sums);
}

void ProveSlices::close_names(std::size_t tile) {
    const int level = tree_.level[tile];
    if (at(level).names == nullptr) return;
    const std::unique_ptr<ProveNames> names = std::move(at(level).names);
    histogram_(tile, *names);
    const bool above = level < root_ && at(level + 1).names != nullptr;
    if (above) at(level + 1).names->add(*names);
    lowest_names_ = above ? level + 1 : kProveLevels;
}

}  // namespace tilescope
