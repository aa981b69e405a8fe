#include "pyramid/bin_cascade.hpp"

#include <algorithm>

#include "pyramid/geometry.hpp"

namespace tilescope {

BinCascade::BinCascade(std::vector<std::vector<int64_t>> interior, MemoryBudget* budget)
    : interior_(std::move(interior)), levels_(kMaxLevel + 1, Level(budget)), lowest_(kMaxLevel + 1) {
    for (int level = 0; level <= kMaxLevel; ++level) {
        if (interior_[static_cast<size_t>(level)].empty()) continue;
        lowest_ = std::min(lowest_, level);
        highest_ = level;
    }
}

void BinCascade::add(int64_t start, int64_t duration, int32_t name) {
    const int entry = std::max(lowest_binned_level(duration), lowest_);
    // The slice is at least two bins long at the levels below its entry, so it outlasts what is open there: those bins
    // are complete, and must reach the entry level before the slice moves it on.
    for (int level = lowest_; level < std::min(entry, highest_ + 1); ++level) {
        if (levels_[static_cast<size_t>(level)].open) close(level);
    }
    if (entry > highest_) return;  // an individual at every level
    const int64_t end = start + duration;
    int64_t bin = bin_at(start, entry);
    const int64_t last_bin = duration == 0 ? bin : bin_at(end - 1, entry);
    put(entry, bin, name, std::min(end, bin_start(bin + 1, entry)) - start, 1, duration);
    while (bin < last_bin) {
        ++bin;
        const int64_t from = bin_start(bin, entry);
        put(entry, bin, name, std::min(end, bin_start(bin + 1, entry)) - from, 0, duration);
    }
}

void BinCascade::open(Level& at, int level, int64_t bin) {
    if (at.open) {
        if (at.bin == bin) return;
        close(level);
    }
    at.open = true;
    at.bin = bin;
    at.longest = 0;
}

void BinCascade::put(int level, int64_t bin, int32_t name, int64_t busy, uint64_t count, int64_t longest) {
    Level& at = levels_[static_cast<size_t>(level)];
    open(at, level, bin);
    at.names.add(name, busy, count);
    at.longest = std::max(at.longest, longest);
}

void BinCascade::close(int level) {
    Level& at = levels_[static_cast<size_t>(level)];
    at.open = false;
    const auto& tiles = interior_[static_cast<size_t>(level)];
    const PartSums sums = at.names.sum(places_);
    const int64_t tile = at.bin / kBinsPerTile;
    if (at.tile >= tiles.size() || tiles[at.tile] != tile) {
        at.tile = static_cast<size_t>(std::lower_bound(tiles.begin(), tiles.end(), tile) - tiles.begin());
    }
    if (at.tile < tiles.size() && tiles[at.tile] == tile) {
        Bin& bin = at.written.emplace_back();
        bin.busy = sums.busy;
        bin.longest = at.longest;
        bin.count = sums.count;
        bin.name = sums.best.name;
        bin.bin = static_cast<uint8_t>(at.bin % kBinsPerTile);
        bin.share = share_of(sums.best, sums.busy, sums.count);
        at.written_tile.push_back(static_cast<uint32_t>(at.tile));
    }
    if (level < highest_) {
        Level& above = levels_[static_cast<size_t>(level) + 1];
        open(above, level + 1, at.bin / 4);
        above.names.add(at.names.parts());
        above.longest = std::max(above.longest, at.longest);
    }
    at.names.clear();
}

void BinCascade::finish_row(uint32_t row) {
    for (int level = lowest_; level <= highest_; ++level) {
        Level& at = levels_[static_cast<size_t>(level)];
        if (at.open) close(level);
        for (size_t k = at.row_from; k < at.written.size(); ++k) at.written[k].row = row;
        at.row_from = at.written.size();
        at.tile = 0;
    }
}

size_t BinCascade::written() const {
    size_t bins = 0;
    for (const Level& at : levels_) bins += at.written.size();
    return bins;
}

std::vector<size_t> BinCascade::take(int level, CountedVector<Bin>& out) {
    Level& at = levels_[static_cast<size_t>(level)];
    const size_t tiles = interior_[static_cast<size_t>(level)].size();
    // A stable counting sort by tile: rows were written one after the other, each in time order.
    std::vector<size_t> starts(tiles + 1, 0);
    for (const uint32_t tile : at.written_tile) ++starts[tile + 1];
    starts[0] = out.size();
    for (size_t k = 1; k <= tiles; ++k) starts[k] += starts[k - 1];
    std::vector<size_t> next(starts.begin(), starts.end());
    out.resize(out.size() + at.written.size());
    for (size_t k = 0; k < at.written.size(); ++k) out[next[at.written_tile[k]]++] = at.written[k];
    CountedVector<Bin>(at.written.get_allocator()).swap(at.written);
    CountedVector<uint32_t>(at.written_tile.get_allocator()).swap(at.written_tile);
    return starts;
}

}  // namespace tilescope
