#include "rollup_track.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "geometry.hpp"
#include "name_table.hpp"

namespace tilescope {

namespace {

// A rollup tile in which at most so many slices start has no children: finer tiles would cost more than the tracks'
// own, which say more. The root alone always has some: the overview layer is made of the tiles below it.
constexpr size_t kTerminalSlices = 16384;

// The exact content of a tile's bins.
struct TileSum {
    struct Entry {
        Part part;
        uint8_t bin;
    };
    std::vector<Entry> entries;  // in the order of bins
    std::array<int64_t, kBinsPerTile> longest{};
};

// The children's slices up to some time, and those of them that are still running.
class Sweep {
public:
    struct Running {
        int64_t end;
        int64_t duration;
        int32_t name;
    };

    explicit Sweep(const std::vector<const KeptSlices*>& tracks) {
        cursors_.reserve(tracks.size());
        for (const KeptSlices* track : tracks) {
            cursors_.emplace_back(*track);
            next_start_.push_back(cursors_.back().next_start());
        }
    }

    // How many slices that are yet to come start before `stop`.
    size_t count_before(int64_t stop) {
        size_t count = 0;
        for (size_t track = 0; track < cursors_.size(); ++track)
            if (next_start_[track] < stop) count += cursors_[track].count_before(stop);
        return count;
    }

    // Those that run at `time`, after all that start before it have been taken.
    const std::vector<Running>& running_at(int64_t time) {
        running_.erase(std::remove_if(running_.begin(), running_.end(), [&](const Running& r) { return r.end <= time; }),
                       running_.end());
        return running_;
    }

    // Takes the slices that start before `stop`, track by track: sums do not depend on their order.
    template <typename Visit>
    void take_before(int64_t stop, Visit&& visit) {
        for (size_t track = 0; track < cursors_.size(); ++track) {
            if (next_start_[track] >= stop) continue;
            cursors_[track].take_before(stop, [&](int64_t start, int64_t duration, int32_t name) {
                visit(start, duration, name);
                if (start + duration > stop) running_.push_back({start + duration, duration, name});
            });
            next_start_[track] = cursors_[track].next_start();
        }
    }

private:
    std::vector<SliceCursor> cursors_;
    std::vector<int64_t> next_start_;  // side by side, for a quick look at all tracks
    std::vector<Running> running_;
};

class Builder {
public:
    Builder(const std::vector<const KeptSlices*>& children, int root_level, std::vector<Tile>& tiles,
            std::vector<std::pair<size_t, size_t>>& contents, std::vector<Bin>& bins)
        : sweep_(children), root_level_(root_level), tiles_(tiles), contents_(contents), bins_(bins) {}

    TileSum build(int level, int64_t index, size_t starting) {
        const bool terminal = level == 0 || (level < root_level_ && starting <= kTerminalSlices);
        const uint64_t before = taken_;
        TileSum sum = terminal ? sum_slices(level, index) : sum_children(level, index);
        write(level, index, before, terminal, sum);
        return sum;
    }

    size_t count_before(int64_t stop) { return sweep_.count_before(stop); }

private:
    TileSum sum_slices(int level, int64_t index) {
        TileSum sum;
        const int64_t start = tile_start(index, level);
        const int64_t stop = tile_start(index + 1, level);
        edges_.clear();
        edges_of_.fill(0);
        for (auto& names : covering_from_) names.clear();
        for (auto& names : covering_until_) names.clear();
        for (const Sweep::Running& slice : sweep_.running_at(start)) {
            spread(sum, level, start, std::min(slice.end, stop), slice.duration, slice.name, 0);
        }
        sweep_.take_before(stop, [&](int64_t from, int64_t duration, int32_t name) {
            spread(sum, level, from, std::min(from + duration, stop), duration, name, 1);
            ++taken_;
        });
        sort_edges();
        active_.clear();
        place_of_.clear();
        size_t edge = 0;
        for (size_t bin = 0; bin < kBinsPerTile; ++bin) {
            for (const int32_t name : covering_until_[bin]) deactivate(name);
            for (const int32_t name : covering_from_[bin]) activate(name);
            for (const size_t last = edge + edges_of_[bin]; edge < last; ++edge) {
                names_.add(sorted_[edge].name, sorted_[edge].busy, sorted_[edge].starts);
            }
            for (const auto& [name, slices] : active_) names_.add(name, full_bins(slices, level), 0);
            flush(sum, static_cast<int>(bin));
        }
        return sum;
    }

    // Notes a slice's part [from, end) of the tile. Bins that it covers from end to end are noted once, at the first and
    // behind the last: a slice that spans a whole tile would cost 256 entries otherwise.
    void spread(TileSum& sum, int level, int64_t from, int64_t end, int64_t duration, int32_t name, uint8_t starts) {
        const size_t first = static_cast<size_t>(bin_at(from, level) % kBinsPerTile);
        const size_t last = end == from ? first : static_cast<size_t>(bin_at(end - 1, level) % kBinsPerTile);
        for (size_t bin = first; bin <= last; ++bin) sum.longest[bin] = std::max(sum.longest[bin], duration);
        if (first == last) {
            add_edge(first, name, end - from, starts);
            return;
        }
        const int64_t width = int64_t{1} << (2 * level);
        const int64_t first_end = bin_start(bin_at(from, level) + 1, level);
        add_edge(first, name, first_end - from, starts);
        add_edge(last, name, (end - 1) % width + 1, 0);
        if (last - first > 1) {
            covering_from_[first + 1].push_back(name);
            covering_until_[last].push_back(name);
        }
    }

    // The busy time of so many slices that cover a bin.
    static int64_t full_bins(int64_t slices, int level) {
        return slices > kBusyLimit >> (2 * level) ? kBusyLimit : slices << (2 * level);
    }

    void add_edge(size_t bin, int32_t name, int64_t busy, uint8_t starts) {
        edges_.push_back({busy, name, static_cast<uint8_t>(bin), starts});
        ++edges_of_[bin];
    }

    // Brings the edges of a bin together: a counting sort.
    void sort_edges() {
        std::array<size_t, kBinsPerTile> next;
        size_t at = 0;
        for (size_t bin = 0; bin < kBinsPerTile; ++bin) {
            next[bin] = at;
            at += edges_of_[bin];
        }
        if (sorted_.size() < edges_.size()) sorted_.resize(edges_.size());
        for (const Edge& edge : edges_) sorted_[next[edge.bin]++] = edge;
    }

    // Many slices of different names may cover a bin: each is found by its name.
    void activate(int32_t name) {
        const auto [entry, is_new] = place_of_.try_emplace(name, active_.size());
        if (is_new) active_.emplace_back(name, 0);
        ++active_[entry->second].second;
    }

    void deactivate(int32_t name) {
        const auto entry = place_of_.find(name);
        auto& place = active_[entry->second];
        if (--place.second > 0) return;
        place = active_.back();
        place_of_[place.first] = entry->second;
        active_.pop_back();
        place_of_.erase(name);
    }

    TileSum sum_children(int level, int64_t index) {
        TileSum sum;
        for (int quarter = 0; quarter < 4; ++quarter) {
            const int64_t child = 4 * index + quarter;
            const size_t starting = sweep_.count_before(tile_start(child + 1, level - 1));
            if (starting == 0 && sweep_.running_at(tile_start(child, level - 1)).empty()) continue;
            const TileSum below = build(level - 1, child, starting);
            int bin = -1;
            for (const TileSum::Entry& entry : below.entries) {
                const int into = 64 * quarter + entry.bin / 4;
                if (into != bin && bin >= 0) flush(sum, bin);
                bin = into;
                names_.add(entry.part.name, entry.part.busy, entry.part.count);
            }
            if (bin >= 0) flush(sum, bin);
            for (int k = 0; k < kBinsPerTile; ++k) {
                int64_t& longest = sum.longest[static_cast<size_t>(64 * quarter + k / 4)];
                longest = std::max(longest, below.longest[static_cast<size_t>(k)]);
            }
        }
        return sum;
    }

    // Moves the name table into the sum, as one bin.
    void flush(TileSum& sum, int bin) {
        for (const Part& part : names_.parts()) sum.entries.push_back({part, static_cast<uint8_t>(bin)});
        names_.clear();
    }

    void write(int level, int64_t index, uint64_t before, bool terminal, const TileSum& sum) {
        const size_t first = bins_.size();
        for (size_t k = 0; k < sum.entries.size();) {
            const uint8_t bin = sum.entries[k].bin;
            Bin out{0, sum.longest[bin], 0, 0, 0, bin, 0};
            Part best = sum.entries[k].part;
            for (; k < sum.entries.size() && sum.entries[k].bin == bin; ++k) {
                const Part& part = sum.entries[k].part;
                out.busy = add_busy(out.busy, part.busy);
                out.count += part.count;
                if (dominates(part, best)) best = part;
            }
            out.name = best.name;
            out.share = share_of(best, out.busy, out.count);
            bins_.push_back(out);
        }
        tiles_.push_back({index, before, taken_, contents_.size(), static_cast<uint8_t>(level), terminal ? kTerminal : uint8_t{0}});
        contents_.push_back({first, bins_.size()});
    }

    Sweep sweep_;
    int root_level_;
    NameTable names_;
    // Of the terminal tile at hand: parts of bins, as they come and by bin, and how many of each bin.
    struct Edge {
        int64_t busy;
        int32_t name;
        uint8_t bin;
        uint8_t starts;
    };
    std::vector<Edge> edges_;
    std::vector<Edge> sorted_;
    std::array<size_t, kBinsPerTile> edges_of_{};
    // By bin: names of slices that cover bins from here on, and until here.
    std::array<std::vector<int32_t>, kBinsPerTile> covering_from_;
    std::array<std::vector<int32_t>, kBinsPerTile> covering_until_;
    std::vector<std::pair<int32_t, int64_t>> active_;  // names that cover the bin at hand, and by how many slices
    std::unordered_map<int32_t, size_t> place_of_;     // of a name among them
    uint64_t taken_ = 0;
    std::vector<Tile>& tiles_;
    std::vector<std::pair<size_t, size_t>>& contents_;
    std::vector<Bin>& bins_;
};

}  // namespace

RollupTrack::RollupTrack(const std::vector<const KeptSlices*>& children, int root_level) {
    Builder builder(children, root_level, tiles_, contents_, bins_);
    const size_t starting = builder.count_before(INT64_MAX);
    if (starting > 0) builder.build(root_level, 0, starting);
}

std::vector<OverviewBin> RollupTrack::overview(int level, int64_t lanes) const {
    std::vector<OverviewBin> result;
    for (const Tile& tile : tiles_) {
        if (tile.level != level) continue;
        const auto [first, last] = contents_[tile.content];
        for (size_t k = first; k < last; ++k) {
            result.push_back({tile.index * kBinsPerTile + bins_[k].bin, bins_[k].name,
                              utilisation(bins_[k].busy, lanes, int64_t{1} << (2 * level))});
        }
    }
    return result;
}

void RollupTrack::append(const Tile& tile, PageColumns& page) const {
    const auto [first, last] = contents_[tile.content];
    for (size_t k = first; k < last; ++k) append_bin(bins_[k], page);
    page.n_slices.push_back(0);
    page.n_bins.push_back(static_cast<int64_t>(last - first));
    page.n_counter_bins.push_back(0);
    page.n_samples.push_back(0);
    page.carry.push_back(0.0);
}

size_t RollupTrack::weight(const Tile& tile) const {
    const auto [first, last] = contents_[tile.content];
    return 1 + 2 * (last - first);
}

}  // namespace tilescope
