#include "pyramid/rollup_track.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/counted.hpp"
#include "pyramid/covering.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/name_table.hpp"
#include "pyramid/part_list.hpp"

namespace tilescope {

namespace {

// A rollup tile in which at most so many slices start has no children: finer tiles would cost more than the tracks'
// own, which say more. The root alone always has some: the overview layer is made of the tiles below it.
constexpr size_t kTerminalSlices = 16384;

// The children's slices, up to some time.
class Sweep {
  public:
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

    // Takes the slices that start before `stop`, track by track: sums do not depend on their order.
    template <typename Visit>
    void take_before(int64_t stop, const Visit& visit) {
        for (size_t track = 0; track < cursors_.size(); ++track) {
            if (next_start_[track] >= stop) continue;
            cursors_[track].take_before(stop, visit);
            next_start_[track] = cursors_[track].next_start();
        }
    }

  private:
    std::vector<SliceCursor> cursors_;
    std::vector<int64_t> next_start_;  // side by side, for a quick look at all tracks
};

// What a slice has left of the time behind where it was seen.
struct Rest {
    int64_t end;
    int64_t duration;
    int32_t name;
};
using Rests = CountedVector<Rest>;

// The bins of all levels are the nodes of one tree: a bin of level z has four children, bins of level z - 1, and a tile
// is the node four levels above its bins. Nodes are gone through depth first. A slice that covers a node is entered
// there and nowhere below (`Covering`); it has a part of its own in the two bins of a level in which it begins and ends.
// So a slice costs the same however many bins it runs through, and a bin however many slices run through it.
class Builder {
  public:
    Builder(const std::vector<const KeptSlices*>& children, int root_level, std::vector<Tile>& tiles,
            std::vector<std::pair<size_t, size_t>>& contents, std::vector<Bin>& bins, MemoryBudget* budget)
        : sweep_(children), root_level_(root_level), budget_(budget), tiles_(tiles), contents_(contents), bins_(bins) {
        for (auto& level : waiting_) {
            for (Waiting& waiting : level) waiting.ending = Rests(budget);
        }
    }

    void build() {
        const size_t starting = sweep_.count_before(INT64_MAX);
        if (starting > 0) build(root_level_, 0, starting, Rests(budget_));
    }

  private:
    // One of the four children of a tile that is open, before it is built: slices that start before it.
    struct Waiting {
        NameTable covering;        // how many of each name cover it, but not its parent
        int64_t longest = 0;       // of these
        Rests ending{nullptr};     // those that end in it
    };

    // What slices leave in a node of a terminal tile. In a bin: busy times, where they do not cover it, or a higher node does
    // not. In another node: how many of each name cover that. Names are few where slices are many, so this is never large.
    struct Node {
        PartList names;
        int64_t longest = 0;
    };

    // Nodes of a tree of so many levels below its root: those of a terminal tile are numbered from the root on, each
    // before its children.
    static constexpr std::array<size_t, 5> kNodes{1, 5, 21, 85, 341};
    static constexpr int kTileHeight = 4;

    // Their numbers, those of bins first, then by height: from where on, and the number of each.
    static constexpr std::array<size_t, 5> kHeights{0, 256, 320, 336, 340};
    static constexpr std::array<uint16_t, 341> kNumbers = [] {
        std::array<uint16_t, 341> numbers{};
        for (size_t height = 0; height <= kTileHeight; ++height) {
            for (size_t at = 0; at < size_t{1} << (2 * (kTileHeight - height)); ++at) {
                size_t number = 0;
                for (size_t above = kTileHeight; above-- > height;)
                    number += 1 + (at >> (2 * (above - height))) % 4 * kNodes[above];
                numbers[kHeights[height] + at] = static_cast<uint16_t>(number);
            }
        }
        return numbers;
    }();

    // Returns the longest of the slices in the tile, unless they cover it. Leaves their parts in `parts_`.
    int64_t build(int level, int64_t index, size_t starting, Rests ending) {
        const bool terminal = level == 0 || (level < root_level_ && starting <= kTerminalSlices);
        const uint64_t before = taken_;
        const int64_t longest =
            terminal ? sum_slices(level, index, ending) : sum_children(level, index, std::move(ending));
        write(level, index, before, terminal);
        return longest;
    }

    int64_t sum_children(int level, int64_t index, Rests ending) {
        for (const Rest& rest : ending) wait_from(level - 1, 4 * index, rest);
        Rests(budget_).swap(ending);  // each slice waits in one place, not at every level
        const size_t parts = parts_.size();
        int64_t longest = 0;
        for (int64_t child = 4 * index; child < 4 * index + 4; ++child) {
            Waiting& waiting = waiting_at(level - 1, child);
            const size_t starting = sweep_.count_before(tile_start(child + 1, level - 1));
            const std::vector<Part>& covering = waiting.covering.parts();
            const bool any = starting > 0 || !covering.empty() || !waiting.ending.empty();
            if (!any && covering_.known().slices == 0) continue;
            const Covering::Known before = covering_.known();
            covering_.enter(covering, waiting.longest);
            longest =
                std::max({longest, waiting.longest, build(level - 1, child, starting, std::move(waiting.ending))});
            covering_.leave(covering, before);
            pass_up(level - 1 + kTileHeight, covering);
            waiting = {{}, 0, Rests(budget_)};
        }
        end_node(level + kTileHeight, index, parts, longest);
        return longest;
    }

    int64_t sum_slices(int level, int64_t index, const Rests& ending) {
        const int64_t start = tile_start(index, level);
        const int64_t stop = tile_start(index + 1, level);
        for (const Rest& rest : ending) spread(level, start, rest.end, rest.duration, rest.name, false);
        sweep_.take_before(stop, [&](int64_t from, int64_t duration, int32_t name) {
            const int64_t end = from + duration;
            spread(level, from, std::min(end, stop), duration, name, true);
            if (end > stop) wait_behind(level, index, {end, duration, name});
            ++taken_;
        });
        return sum_node(level, kTileHeight, index, 0);
    }

    Waiting& waiting_at(int level, int64_t index) {
        return waiting_[static_cast<size_t>(level)][static_cast<size_t>(index % 4)];
    }

    // Notes a slice that runs at the start of a child at the children up to its end. False: it outlasts the last.
    bool wait_from(int level, int64_t child, const Rest& rest) {
        do {
            Waiting& waiting = waiting_at(level, child);
            if (rest.end < tile_start(child + 1, level)) {
                if (rest.end > tile_start(child, level)) waiting.ending.push_back(rest);
                return true;
            }
            waiting.covering.add(rest.name, 0, 1);
            waiting.longest = std::max(waiting.longest, rest.duration);
        } while (++child % 4 != 0);
        return false;
    }

    // Notes a slice that outlasts a tile at the tiles behind it.
    void wait_behind(int level, int64_t index, const Rest& rest) {
        for (; level < root_level_; ++level, index /= 4) {
            if (index % 4 != 3 && wait_from(level, index + 1, rest)) return;
        }
    }

    // Notes a slice's part [from, end) of a terminal tile: the bins in which it begins and ends, and the nodes between. It
    // covers what it reaches into.
    void spread(int level, int64_t from, int64_t end, int64_t duration, int32_t name, bool starts) {
        const size_t first = static_cast<size_t>(bin_at(from, level) % kBinsPerTile);
        const size_t last = end == from ? first : static_cast<size_t>(bin_at(end - 1, level) % kBinsPerTile);
        if (first == last) {
            note(first, 0, name, end - from, starts, duration);
            return;
        }
        const int64_t width = int64_t{1} << (2 * level);
        note(first, 0, name, bin_start(bin_at(from, level) + 1, level) - from, starts, duration);
        note(last, 0, name, (end - 1) % width + 1, false, duration);
        size_t left = first + 1;
        size_t right = last;
        for (int height = 0; left < right; ++height, left /= 4, right /= 4) {
            const bool covers = height > 0;
            const int64_t busy = covers ? 0 : width;
            for (; left < right && left % 4 != 0; ++left) note(left, height, name, busy, covers, duration);
            for (; left < right && right % 4 != 0; --right) note(right - 1, height, name, busy, covers, duration);
        }
    }

    // Notes a slice at a node, which is the `at`th of those of its height. `counts`: a bin counts the slices that start in it,
    // another node those that cover it.
    void note(size_t at, int height, int32_t name, int64_t busy, bool counts, int64_t duration) {
        const size_t number = kNumbers[kHeights[static_cast<size_t>(height)] + at];
        // With a node, those above it are marked: mostly there is nothing to do.
        for (int above = height; !any_[kNumbers[kHeights[static_cast<size_t>(above)] + at]]; ++above, at /= 4) {
            any_[kNumbers[kHeights[static_cast<size_t>(above)] + at]] = true;
            if (above == kTileHeight) break;
        }
        nodes_[number].names.add(name, busy, counts);
        nodes_[number].longest = std::max(nodes_[number].longest, duration);
    }

    // Sums a node of a terminal tile, and those below, and forgets them. Returns the longest of the slices in it, those that
    // were entered above left out.
    int64_t sum_node(int level, int height, int64_t index, size_t number) {
        Node& node = nodes_[number];
        any_[number] = false;
        const int64_t own = std::exchange(node.longest, 0);
        const std::vector<Part>& names = node.names.by_name();
        const size_t parts = parts_.size();
        if (height == 0) {
            parts_.insert(parts_.end(), names.begin(), names.end());
            node.names.clear();
            end_bin(level, index, own, parts);
            return own;
        }
        const Covering::Known before = covering_.known();
        covering_.enter(names, own);
        int64_t longest = 0;
        const size_t below_child = kNodes[static_cast<size_t>(height - 1)];
        size_t child = number + 1;
        for (int64_t below = 4 * index; below < 4 * index + 4; ++below, child += below_child) {
            if (!any_[child] && covering_.known().slices == 0) continue;
            longest = std::max(longest, sum_node(level, height - 1, below, child));
        }
        end_node(level + height, index, parts, longest);
        covering_.leave(names, before);
        pass_up(level + height, names);
        node.names.clear();
        return std::max(longest, own);
    }

    // Adds up the parts that the children of a node have left from `first` on. `longest`: of slices that do not cover it.
    void end_node(int level, int64_t index, size_t first, int64_t longest) {
        if (level > root_level_) return;  // no bin, and nothing was left
        PartPlaces::of_thread().sum_by_name(parts_, first);
        end_bin(level, index, longest, first);
    }

    // Writes the bin whose parts stand from `first` on, one of each name, and leaves them to the node above.
    void end_bin(int level, int64_t index, int64_t longest, size_t first) {
        const Covering::Known& covering = covering_.known();
        const Span<const Part> parts(parts_.data() + first, parts_.size() - first);
        const bool covered = covering.slices > 0;
        if (parts.empty() && !covered) return;
        Bin out{0, std::max(longest, covering.longest), 0, 0, 0, static_cast<uint8_t>(index % kBinsPerTile), 0};
        if (covered) out.busy = covering_.busy(level);
        Part best = covered ? covering_.dominant(level) : parts[0];
        for (Part part : parts) {
            out.busy = add_busy(out.busy, part.busy);
            out.count += part.count;
            if (covered) part.busy = add_busy(part.busy, covering_.busy(level, part.name));
            if (is_better(part, best)) best = part;
        }
        out.name = best.name;
        out.share = share_of(best, out.busy, out.count);
        open_[static_cast<size_t>(level)].push_back(out);
        if (level == root_level_) parts_.resize(first);
    }

    // Slices without a name are those of tracks that only frame the others: they name nothing that has a name.
    static bool is_better(const Part& part, const Part& best) {
        if ((part.name < 0) != (best.name < 0)) return best.name < 0;
        return dominates(part, best);
    }

    // Leaves to the node above the parts of slices that cover a node of this level.
    void pass_up(int level, const std::vector<Part>& covers) {
        if (level >= root_level_) return;
        for (const Part& cover : covers) {
            parts_.push_back({cover.name, Covering::busy_of(static_cast<int64_t>(cover.count), level), 0});
        }
    }

    void write(int level, int64_t index, uint64_t before, bool terminal) {
        std::vector<Bin>& bins = open_[static_cast<size_t>(level)];
        tiles_.push_back(
            {index, before, taken_, contents_.size(), static_cast<uint8_t>(level), terminal ? kTerminal : uint8_t{0}});
        contents_.push_back({bins_.size(), bins_.size() + bins.size()});
        bins_.insert(bins_.end(), bins.begin(), bins.end());
        bins.clear();
    }

    Sweep sweep_;
    int root_level_;
    MemoryBudget* budget_;
    std::array<std::array<Waiting, 4>, kMaxLevel + 1> waiting_;  // by the level of the children
    Covering covering_;
    // Of the terminal tile at hand, empty between two of them: its nodes, and whether there is anything in or below each.
    std::array<Node, kNodes[kTileHeight]> nodes_;
    std::array<bool, kNodes[kTileHeight]> any_{};
    std::vector<Part> parts_;                             // of bins whose node above has not ended
    std::array<std::vector<Bin>, kMaxLevel + 1> open_;    // of the open tile of each level
    uint64_t taken_ = 0;
    std::vector<Tile>& tiles_;
    std::vector<std::pair<size_t, size_t>>& contents_;
    std::vector<Bin>& bins_;
};

}  // namespace

RollupTrack::RollupTrack(const std::vector<const KeptSlices*>& children, int root_level, MemoryBudget* budget) {
    Builder(children, root_level, tiles_, contents_, bins_, budget).build();
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
