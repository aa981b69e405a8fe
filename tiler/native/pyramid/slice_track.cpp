#include "pyramid/slice_track.hpp"

#include <algorithm>

#include "columns/event_codes.hpp"
#include "pyramid/bin_cascade.hpp"
#include "pyramid/by_row.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/time_checks.hpp"

namespace tilescope {

namespace {

// A tile with at most so many slices is a leaf.
constexpr size_t kLeafSlices = 1024;
// With at most so many it is one if aggregation would not make it three times smaller.
constexpr size_t kLeafSlicesAtMost = 8192;
constexpr size_t kWorthwhileReduction = 3;

// So many slices are passed over together when none of them reaches into a tile.
constexpr size_t kBlock = 256;

// More than there are bins in a tile.
constexpr uint64_t kCallBins = 512;

// So many durations are looked at together: on high levels most are too short.
constexpr size_t kFew = 32;

// True if one of the durations, which are not negative, is no less. Compilers make wide instructions of it.
bool has_one_of(int64_t least, Span<const int64_t> durations) {
    int64_t shorter = -1;  // negative as long as all differences are
    for (const int64_t duration : durations) shorter &= duration - least;
    return shorter >= 0;
}

}  // namespace

SliceTrack::SliceTrack(const SliceColumns& slices, int root_level, MemoryBudget* budget,
                       std::optional<int> overview_level)
    : slices_(slices), budget_(budget), reaching_(budget), bins_(budget), block_end_(budget), next_bin_(budget) {
    if (slices_.size() == 0) return;
    CountedVector<uint32_t> in_row = look_over();
    next_bin_.assign(in_row.size(), 0);
    descend(root_level, 0, 0, slices_.size(), 0, 0);
    CountedVector<int64_t>(budget).swap(block_end_);
    CountedVector<uint64_t>(budget).swap(next_bin_);
    sum_bins(std::move(in_row), overview_level);
    reaching_.shrink_to_fit();
}

// Checks the times, and takes note of when the slices of each block end. Returns how many slices each row has.
CountedVector<uint32_t> SliceTrack::look_over() {
    CountedVector<uint32_t> in_row(budget_);
    block_end_.reserve((slices_.size() + kBlock - 1) / kBlock);
    SliceTimes times;
    const SliceColumns slices = slices_;
    for (size_t first = 0; first < slices.size(); first += kBlock) {
        const size_t stop = std::min(first + kBlock, slices.size());
        int64_t block_end = 0;
        for (size_t k = first; k < stop; ++k) {
            const int64_t start = slices.start[k];
            const int64_t duration = slices.duration[k];
            times.add(start, duration);
            const auto end = static_cast<uint64_t>(start) + static_cast<uint64_t>(duration);  // not known to be right
            block_end = std::max(block_end, static_cast<int64_t>(end));
            const uint32_t row = slices.row[k];
            if (row >= in_row.size()) in_row.resize(size_t{row} + 1);
            ++in_row[row];
        }
        block_end_.push_back(block_end);
    }
    times.throw_if_wrong(slices_.start);
    return in_row;
}

// Appends those of the slices [first, last) that end behind `tick` to reaching_.
void SliceTrack::note_reaching(size_t first, size_t last, int64_t tick) {
    for (size_t k = first; k < last;) {
        const size_t block = k / kBlock;
        const size_t stop = std::min(last, (block + 1) * kBlock);
        if (block_end_[block] > tick) {
            for (; k < stop; ++k) {
                if (slices_.end(k) > tick) reaching_.push_back(static_cast<uint32_t>(k));
            }
        }
        k = stop;
    }
}

void SliceTrack::descend(int level, int64_t index, size_t first, size_t last, size_t reaching_first,
                         size_t reaching_last) {
    const bool leaf = is_leaf(level, index, first, last, reaching_first, reaching_last);
    tiles_.push_back({index, first, last, contents_.size(), static_cast<uint8_t>(level), leaf ? kLeaf : uint8_t{0}});
    contents_.push_back({reaching_first, reaching_last, 0, 0});
    if (leaf) return;
    size_t child_first = first;
    for (int64_t child = 4 * index; child < 4 * index + 4; ++child) {
        const int64_t start = tile_start(child, level - 1);
        const int64_t stop = tile_start(child + 1, level - 1);
        const size_t child_last = static_cast<size_t>(
            std::lower_bound(slices_.start.begin() + child_first, slices_.start.begin() + last, stop) -
            slices_.start.begin());
        // Into the first child reaches what reaches into the parent; into each of the others what reaches into the one before
        // or starts there.
        const size_t child_reaching_first = reaching_.size();
        for (size_t k = reaching_first; k < reaching_last; ++k) {
            if (slices_.end(reaching_[k]) > start) reaching_.push_back(reaching_[k]);
        }
        note_reaching(first, child_first, start);
        reaching_first = child_reaching_first;
        reaching_last = reaching_.size();
        first = child_first;
        if (child_first < child_last || reaching_first < reaching_last) {
            descend(level - 1, child, child_first, child_last, reaching_first, reaching_last);
        }
        child_first = child_last;
    }
}

bool SliceTrack::is_leaf(int level, int64_t index, size_t first, size_t last, size_t reaching_first,
                         size_t reaching_last) {
    const size_t starting = last - first;
    const size_t reaching = reaching_last - reaching_first;
    // Slices that reach in are repeated in every tile below, so descending pays only when more start here than reach
    // in. This also keeps the tree linear in the number of slices for any nesting depth.
    if (level == 0 || starting <= std::max(kLeafSlices, reaching)) return true;
    if (starting > kLeafSlicesAtMost) return false;
    const int64_t least = least_individual(level);
    const size_t bins = kBinsPerTile * next_bin_.size();
    if (bins * kWorthwhileReduction < starting) {  // few rows: there may be so many slices that bins are fewer anyway
        size_t individuals = 0;
        for (size_t k = reaching_first; k < reaching_last; ++k) individuals += slices_.duration[reaching_[k]] >= least;
        for (const int64_t duration : slices_.duration.subspan(first, starting)) individuals += duration >= least;
        if ((individuals + bins) * kWorthwhileReduction <= starting + reaching) return false;
    }
    // Nothing is guessed about where slices lie: that of neighbours differs.
    const int64_t first_bin = index * kBinsPerTile;
    const uint64_t before = ++call_ * kCallBins;  // no bin of this tile has been seen
    uint64_t no_row = 0;
    size_t entries = 0;
    const auto count = [&](size_t k) {
        const int64_t start = slices_.start[k];
        const int64_t duration = slices_.duration[k];
        const bool individual = duration >= least;
        const int64_t bin = bin_at(start, level) - first_bin;
        const int64_t last_tick = start + duration - (duration != 0 ? 1 : 0);
        const int64_t stop = std::min<int64_t>(bin_at(last_tick, level) - first_bin, kBinsPerTile - 1) + 1;
        uint64_t& next = individual ? no_row : next_bin_[slices_.row[k]];
        const auto from = static_cast<int64_t>(std::max(next, before) - before);
        const int64_t more = std::max<int64_t>(stop - std::max(bin, from), 0);
        entries += individual ? 1 : static_cast<size_t>(more);
        next = before + static_cast<uint64_t>(stop);  // no less than it was: slices of a row do not overlap
    };
    for (size_t k = reaching_first; k < reaching_last; ++k) count(reaching_[k]);
    for (size_t k = first; k < last; ++k) count(k);
    return entries * kWorthwhileReduction > starting + reaching;
}

void SliceTrack::sum_bins(CountedVector<uint32_t> in_row, std::optional<int> overview_level) {
    // The interior tiles of each level in time order: descend() is depth first, so each level comes out sorted.
    std::vector<std::vector<int64_t>> interior(kMaxLevel + 1);
    std::vector<std::vector<size_t>> content_of(kMaxLevel + 1);
    for (const Tile& tile : tiles_) {
        if ((tile.flags & kLeaf) != 0) continue;
        interior[tile.level].push_back(tile.index);
        content_of[tile.level].push_back(tile.content);
    }
    std::optional<TrackOverview> overview;
    if (overview_level) overview.emplace(*overview_level);
    BinCascade cascade(interior, overview ? &*overview : nullptr, budget_);
    if (cascade.empty()) return;

    const SliceColumns slices = slices_;
    const auto add = [&](size_t k) { cascade.add(slices.start[k], slices.duration[k], slices.name[k]); };
    const auto rows = static_cast<uint32_t>(in_row.size());
    if (rows == 1) {
        for (size_t k = 0; k < slices.size(); ++k) add(k);
        cascade.finish_row(0);
    } else {
        // Row by row, so that the cascade sees disjoint slices in time order: a counting sort by row.
        const ByRow by_row(slices.row, std::move(in_row), budget_);
        for (uint32_t row = 0; row < rows; ++row) {
            for (const uint32_t k : by_row.slices_of(row)) add(k);
            cascade.finish_row(row);
        }
    }

    if (overview) overview_ = overview->bins();
    bins_.reserve(cascade.written());
    for (int level = 0; level <= kMaxLevel; ++level) {
        const auto starts = cascade.take(level, bins_);
        for (size_t k = 0; k < content_of[static_cast<size_t>(level)].size(); ++k) {
            Content& content = contents_[content_of[static_cast<size_t>(level)][k]];
            content.bins_first = starts[k];
            content.bins_last = starts[k + 1];
        }
    }
}

void SliceTrack::append(const Tile& tile, PageColumns& page) const {
    const bool leaf = (tile.flags & kLeaf) != 0;
    const Content& content = contents_[tile.content];
    const auto slice = [&](size_t k, bool reaches_in) {
        page.count_one();
        page.start.push_back(slices_.start[k]);
        page.duration.push_back(slices_.duration[k]);
        page.row.push_back(slices_.row[k]);
        page.name.push_back(slices_.name[k]);
        append_number(page.ordinal, static_cast<int64_t>(k));
        page.slice_flags.push_back(
            static_cast<uint8_t>((reaches_in ? 1 : 0) | (slices_.flags[k] & event_flag::of_slices)));
    };
    const size_t before = page.start.size();
    for (size_t position = content.reaching_first; position < content.reaching_last; ++position) {
        const size_t k = reaching_[position];
        if (leaf || is_individual(slices_.duration[k], tile.level)) slice(k, true);
    }
    if (leaf) append_all(tile.first, tile.last, page);
    if (!leaf) {
        const Span<const int64_t> duration = slices_.duration;
        const int64_t least = least_individual(tile.level);
        for (size_t k = tile.first; k < tile.last;) {
            const size_t stop = std::min<size_t>(k + kFew, tile.last);
            if (!has_one_of(least, duration.subspan(k, stop - k))) k = stop;
            for (; k < stop; ++k) {
                if (duration[k] >= least) slice(k, false);
            }
        }
    }
    page.n_slices.push_back(static_cast<int64_t>(page.start.size() - before));
    page.append_bins(Span<const Bin>(bins_).subspan(content.bins_first, content.bins_last - content.bins_first));
    page.n_bins.push_back(static_cast<int64_t>(content.bins_last - content.bins_first));
    page.n_counter_bins.push_back(0);
    page.n_samples.push_back(0);
    page.carry.push_back(0.0);
}

// The slices [first, last), which start in the tile: column by column.
void SliceTrack::append_all(size_t first, size_t last, PageColumns& page) const {
    const size_t n = last - first;
    page.count_items(n);
    const auto append = [&](auto& column, const auto& values) {
        const auto part = values.subspan(first, n);
        column.insert(column.end(), part.begin(), part.end());
    };
    append(page.start, slices_.start);
    append(page.duration, slices_.duration);
    append(page.row, slices_.row);
    append(page.name, slices_.name);
    append_numbers(page.ordinal, {static_cast<int64_t>(first), n});
    const size_t before = page.slice_flags.size();
    append(page.slice_flags, slices_.flags);
    for (size_t k = before; k < page.slice_flags.size(); ++k)
        page.slice_flags[k] = static_cast<uint8_t>(page.slice_flags[k] & event_flag::of_slices);
}

size_t SliceTrack::weight(const Tile& tile) const {
    const Content& content = contents_[tile.content];
    const size_t reaching = content.reaching_last - content.reaching_first;
    if ((tile.flags & kLeaf) != 0) return 1 + reaching + tile.last - tile.first;
    return 1 + reaching + 2 * (content.bins_last - content.bins_first);
}

}  // namespace tilescope
