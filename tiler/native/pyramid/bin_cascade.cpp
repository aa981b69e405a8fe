#include "pyramid/bin_cascade.hpp"

#include <algorithm>

namespace tilescope {

BinCascade::BinCascade(std::vector<std::vector<int64_t>> interior, TrackOverview* overview, MemoryBudget* budget)
    : parts_(budget), written_(kMaxLevel + 1, Written(budget)), interior_(std::move(interior)), overview_(overview) {
    const auto include = [&](int level) {
        lowest_ = std::min(lowest_, level);
        highest_ = std::max(highest_, level);
    };
    for (int level = 0; level <= kMaxLevel; ++level) {
        if (!interior_[static_cast<size_t>(level)].empty()) include(level);
    }
    if (overview_ != nullptr) {
        overview_level_ = overview_->level();
        include(overview_level_);
    }
    open_from_ = highest_ + 1;
}

void BinCascade::move_on(int64_t start, int64_t duration, int32_t name) {
    const int entry = std::max(lowest_binned_level(duration), lowest_);
    if (entry > overview_level_) {
        add_long(entry, start, duration, name);
    } else {
        // The slice is at least two bins long at the levels below its entry, so it outlasts what is open there: those bins
        // are complete, and must reach the entry level before the slice moves it on.
        close_below(entry);
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

// An individual at the level of the overview, where it is a part of two bins and fills those between.
void BinCascade::add_long(int entry, int64_t start, int64_t duration, int32_t name) {
    const int64_t bin = bin_at(start, overview_level_);
    if (open_from_ <= overview_level_ && bin_at(tick_, overview_level_) != bin) close_below(overview_level_ + 1);
    overview_->begin_long(start, name);
    close_below(entry);
    overview_->end_long(start, start + duration, name);
}

void BinCascade::put(int level, int64_t bin, int32_t name, int64_t busy, uint32_t count, int64_t longest) {
    const int64_t tick = bin_start(bin, level);
    const int moved = (bit_length(static_cast<uint64_t>(tick ^ tick_)) + 1) >> 1;  // levels whose bin is another one
    if (moved > open_from_) close_below(moved);
    tick_ = tick;
    if (open_from_ > level) open_down_to(level);
    add_to(open_[static_cast<size_t>(level)], level, name, busy, count, longest);
}

// At tick_.
void BinCascade::open_down_to(int level) {
    ++opened_;
    while (open_from_ > level) {
        Open& opened = open_[static_cast<size_t>(--open_from_)];
        opened.since = opened_;
        opened.busy = 0;
        opened.longest = 0;
        opened.count = 0;
        opened.most = -1;
    }
    if (level != lowest_) return;
    lowest_start_ = tick_;
    lowest_width_ = uint64_t{1} << (2 * level);
}

// A part of a name whose latest is not in this bin, but in that of a higher level: the highest has been open since before there
// was any part.
void BinCascade::append_to(Open& open, int level, int32_t name, int64_t busy, uint32_t count, uint32_t latest) {
    const uint64_t seen = parts_[latest].seen;
    int with_latest = level + 1;
    while (open_[static_cast<size_t>(with_latest)].since > seen) ++with_latest;
    const uint32_t part = parts_.append(parts_.hint(name), name, busy, count, opened_, latest);
    open_[static_cast<size_t>(with_latest)].joined.push_back(part);
    offer(open, part, busy);
}

// Closes levels below `level`.
void BinCascade::close_below(int level) {
    const int end = std::min(level, highest_ + 1);
    if (open_from_ == lowest_ && end > lowest_) lowest_width_ = 0;
    while (open_from_ < end) {
        close(open_from_);
        ++open_from_;
    }
}

void BinCascade::close(int level) {
    Open& closed = open_[static_cast<size_t>(level)];
    for (const uint32_t part : closed.joined) {
        const uint32_t joined = parts_.join(part);
        offer(closed, joined, parts_[joined].busy);
    }
    closed.joined.clear();
    const Part best = parts_[closed.best].part();
    const int64_t bin = bin_at(tick_, level);
    write(level, bin, best);
    if (level == overview_level_) {
        overview_->close(bin, closed.busy, best, [&](int32_t name) {
            const uint32_t part = parts_.latest(parts_.hint(name), name);
            const bool here = part != NestedParts::kNone && parts_[part].seen >= closed.since;
            return here ? parts_[part].part() : Part{name, 0, 0};
        });
    }
    if (level == highest_) {
        parts_.clear();
        return;
    }
    Open& above = open_[static_cast<size_t>(level) + 1];
    above.busy = add_ticks(above.busy, closed.busy);
    above.count += closed.count;
    above.longest = std::max(above.longest, closed.longest);
    offer(above, closed.best, closed.most);
}

// If a tile holds the bin, which is open yet.
void BinCascade::write(int level, int64_t index, const Part& best) {
    const auto& tiles = interior_[static_cast<size_t>(level)];
    Written& to = written_[static_cast<size_t>(level)];
    const int64_t tile = index / kBinsPerTile;
    if (to.tile >= tiles.size() || tiles[to.tile] != tile) {
        to.tile = static_cast<size_t>(std::lower_bound(tiles.begin(), tiles.end(), tile) - tiles.begin());
    }
    if (to.tile >= tiles.size() || tiles[to.tile] != tile) return;
    const Open& open = open_[static_cast<size_t>(level)];
    Bin& bin = to.bins.emplace_back();
    bin.busy = open.busy;
    bin.longest = open.longest;
    bin.count = open.count;
    bin.name = best.name;
    bin.bin = static_cast<uint8_t>(index % kBinsPerTile);
    bin.share = share_of(best, open.busy, open.count);
    to.tile_of.push_back(static_cast<uint32_t>(to.tile));
}

void BinCascade::finish_row(uint32_t row) {
    close_below(highest_ + 1);
    if (overview_ != nullptr) overview_->finish_row();
    for (int level = lowest_; level <= highest_; ++level) {
        Written& to = written_[static_cast<size_t>(level)];
        for (size_t k = to.row_from; k < to.bins.size(); ++k) to.bins[k].row = row;
        to.row_from = to.bins.size();
        to.tile = 0;
    }
}

size_t BinCascade::written() const {
    size_t bins = 0;
    for (const Written& written : written_) bins += written.bins.size();
    return bins;
}

std::vector<size_t> BinCascade::take(int level, CountedVector<Bin>& out) {
    Written& from = written_[static_cast<size_t>(level)];
    const size_t tiles = interior_[static_cast<size_t>(level)].size();
    // A counting sort by tile, which leaves those of a tile in their order: rows one after the other, each in time order.
    std::vector<size_t> starts(tiles + 1, 0);
    for (const uint32_t tile : from.tile_of) ++starts[tile + 1];
    starts[0] = out.size();
    for (size_t k = 1; k <= tiles; ++k) starts[k] += starts[k - 1];
    std::vector<size_t> next(starts.begin(), starts.end());
    out.resize(out.size() + from.bins.size());
    for (size_t k = 0; k < from.bins.size(); ++k) out[next[from.tile_of[k]]++] = from.bins[k];
    CountedVector<Bin>(from.bins.get_allocator()).swap(from.bins);
    CountedVector<uint32_t>(from.tile_of.get_allocator()).swap(from.tile_of);
    return starts;
}

}  // namespace tilescope
