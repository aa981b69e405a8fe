#include "rollup_track.hpp"

#include <algorithm>
#include <array>

#include "covering.hpp"
#include "geometry.hpp"
#include "name_table.hpp"

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

// The bins of all levels are the nodes of one tree: a bin of level z has four children, bins of level z - 1, and a tile
// is the node four levels above its bins. Nodes are gone through depth first. A slice that covers a node is entered
// there and nowhere below (`Covering`); it has a part of its own in the two bins of a level in which it begins and ends.
// So a slice costs the same however many bins it runs through, and a bin however many slices run through it.
class Builder {
public:
    Builder(const std::vector<const KeptSlices*>& children, int root_level, std::vector<Tile>& tiles,
            std::vector<std::pair<size_t, size_t>>& contents, std::vector<Bin>& bins)
        : sweep_(children), root_level_(root_level), tiles_(tiles), contents_(contents), bins_(bins) {}

    void build() {
        const size_t starting = sweep_.count_before(INT64_MAX);
        if (starting > 0) build(root_level_, 0, starting, {});
    }

private:
    // One of the four children of a tile that is open, before it is built: slices that start before it.
    struct Waiting {
        std::vector<int32_t> covering;  // names of those that cover it, but not its parent
        int64_t longest = 0;            // of these
        std::vector<Rest> ending;       // those that end in it
    };

    // A slice's part of a node of a terminal tile. In a bin: where it does not cover it, or a higher node does not. In
    // another node: it covers that.
    struct Piece {
        int64_t busy;
        int32_t name;
        uint16_t node;
        uint8_t starts;
    };

    // Nodes of a tree of so many levels below its root: those of a terminal tile are numbered from the root on, each
    // before its children.
    static constexpr std::array<size_t, 5> kNodes{1, 5, 21, 85, 341};
    static constexpr int kTileHeight = 4;

    // Returns the longest of the slices in the tile, unless they cover it. Leaves their parts in `parts_`.
    int64_t build(int level, int64_t index, size_t starting, const std::vector<Rest>& ending) {
        const bool terminal = level == 0 || (level < root_level_ && starting <= kTerminalSlices);
        const uint64_t before = taken_;
        const int64_t longest = terminal ? sum_slices(level, index, ending) : sum_children(level, index, ending);
        write(level, index, before, terminal);
        return longest;
    }

    int64_t sum_children(int level, int64_t index, const std::vector<Rest>& ending) {
        for (const Rest& rest : ending) wait_from(level - 1, 4 * index, rest);
        const size_t parts = parts_.size();
        int64_t longest = 0;
        for (int64_t child = 4 * index; child < 4 * index + 4; ++child) {
            Waiting& waiting = waiting_at(level - 1, child);
            const size_t starting = sweep_.count_before(tile_start(child + 1, level - 1));
            const bool any = starting > 0 || !waiting.covering.empty() || !waiting.ending.empty();
            if (!any && covering_.known().slices == 0) continue;
            const Covering::Known before = covering_.known();
            covering_.enter(waiting.covering, waiting.longest);
            longest = std::max({longest, waiting.longest, build(level - 1, child, starting, waiting.ending)});
            covering_.leave(waiting.covering, before);
            for (const int32_t name : waiting.covering) pass_up(level - 1 + kTileHeight, name);
            waiting = {};
        }
        end_node(level + kTileHeight, index, parts, longest);
        return longest;
    }

    int64_t sum_slices(int level, int64_t index, const std::vector<Rest>& ending) {
        const int64_t start = tile_start(index, level);
        const int64_t stop = tile_start(index + 1, level);
        pieces_.clear();
        place_.fill(0);
        longest_.fill(0);
        for (const Rest& rest : ending) spread(level, start, rest.end, rest.duration, rest.name, false);
        sweep_.take_before(stop, [&](int64_t from, int64_t duration, int32_t name) {
            const int64_t end = from + duration;
            spread(level, from, std::min(end, stop), duration, name, true);
            if (end > stop) wait_behind(level, index, {end, duration, name});
            ++taken_;
        });
        sort_pieces();
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
            waiting.covering.push_back(rest.name);
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
            add_piece(node_of(first, 0), {end - from, name, 0, starts}, duration);
            return;
        }
        const int64_t width = int64_t{1} << (2 * level);
        add_piece(node_of(first, 0), {bin_start(bin_at(from, level) + 1, level) - from, name, 0, starts}, duration);
        add_piece(node_of(last, 0), {(end - 1) % width + 1, name, 0, 0}, duration);
        size_t left = first + 1;
        size_t right = last;
        for (int height = 0; left < right; ++height, left /= 4, right /= 4) {
            const Piece piece{width << (2 * height), name, 0, 0};
            for (; left < right && left % 4 != 0; ++left) add_piece(node_of(left, height), piece, duration);
            for (; left < right && right % 4 != 0; --right) add_piece(node_of(right - 1, height), piece, duration);
        }
    }

    // The number of a node, which is the `at`th of those of its height.
    static size_t node_of(size_t at, int height) {
        size_t node = 0;
        for (int above = kTileHeight; above-- > height;) {
            node += 1 + (at >> (2 * (above - height))) % 4 * kNodes[static_cast<size_t>(above)];
        }
        return node;
    }

    void add_piece(size_t node, Piece piece, int64_t duration) {
        piece.node = static_cast<uint16_t>(node);
        pieces_.push_back(piece);
        ++place_[node + 1];
        longest_[node] = std::max(longest_[node], duration);
    }

    // Brings the pieces of a node together: a counting sort.
    void sort_pieces() {
        for (size_t node = 1; node < place_.size(); ++node) place_[node] += place_[node - 1];
        auto next = place_;
        if (sorted_.size() < pieces_.size()) sorted_.resize(pieces_.size());
        for (const Piece& piece : pieces_) sorted_[next[piece.node]++] = piece;
    }

    // Sums a node of a terminal tile, and those below. Returns the longest of the slices in it, those that were entered
    // above left out.
    int64_t sum_node(int level, int height, int64_t index, size_t node) {
        const size_t first = place_[node];
        const size_t last = place_[node + 1];
        if (height == 0) {
            for (size_t k = first; k < last; ++k) names_.add(sorted_[k].name, sorted_[k].busy, sorted_[k].starts);
            end_bin(level, index, longest_[node]);
            return longest_[node];
        }
        const Covering::Known before = covering_.known();
        for (size_t k = first; k < last; ++k) covering_.enter(sorted_[k].name);
        covering_.enter({}, longest_[node]);
        const size_t parts = parts_.size();
        int64_t longest = 0;
        const size_t nodes = kNodes[static_cast<size_t>(height - 1)];
        size_t child = node + 1;
        for (int64_t below = 4 * index; below < 4 * index + 4; ++below, child += nodes) {
            if (place_[child] == place_[child + nodes] && covering_.known().slices == 0) continue;
            longest = std::max(longest, sum_node(level, height - 1, below, child));
        }
        end_node(level + height, index, parts, longest);
        for (size_t k = first; k < last; ++k) {
            covering_.leave(sorted_[k].name);
            pass_up(level + height, sorted_[k].name);
        }
        covering_.put_back(before);
        return std::max(longest, longest_[node]);
    }

    // Adds up the parts that the children of a node have left from `first` on. `longest`: of slices that do not cover it.
    void end_node(int level, int64_t index, size_t first, int64_t longest) {
        if (level > root_level_) return;  // no bin, and nothing was left
        for (size_t k = first; k < parts_.size(); ++k) names_.add(parts_[k].name, parts_[k].busy, parts_[k].count);
        parts_.resize(first);
        end_bin(level, index, longest);
    }

    // Writes the bin whose parts are in the name table, and leaves them to the node above.
    void end_bin(int level, int64_t index, int64_t longest) {
        const Covering::Known& covering = covering_.known();
        const std::vector<Part>& parts = names_.parts();
        const bool covered = covering.slices > 0;
        if (parts.empty() && !covered) return;
        Bin out{0, std::max(longest, covering.longest), 0, 0, 0, static_cast<uint8_t>(index % kBinsPerTile), 0};
        if (covered) out.busy = covering_.busy(level);
        Part best = covered ? covering_.dominant(level) : parts[0];
        for (Part part : parts) {
            out.busy = add_busy(out.busy, part.busy);
            out.count += part.count;
            if (covered) part.busy = add_busy(part.busy, covering_.busy(level, part.name));
            if (dominates(part, best)) best = part;
        }
        out.name = best.name;
        out.share = share_of(best, out.busy, out.count);
        open_[static_cast<size_t>(level)].push_back(out);
        if (level < root_level_) parts_.insert(parts_.end(), parts.begin(), parts.end());
        names_.clear();
    }

    // Leaves to the node above the part of a slice that covers a node of this level.
    void pass_up(int level, int32_t name) {
        if (level < root_level_) parts_.push_back({name, int64_t{1} << (2 * level), 0});
    }

    void write(int level, int64_t index, uint64_t before, bool terminal) {
        std::vector<Bin>& bins = open_[static_cast<size_t>(level)];
        tiles_.push_back({index, before, taken_, contents_.size(), static_cast<uint8_t>(level), terminal ? kTerminal : uint8_t{0}});
        contents_.push_back({bins_.size(), bins_.size() + bins.size()});
        bins_.insert(bins_.end(), bins.begin(), bins.end());
        bins.clear();
    }

    Sweep sweep_;
    int root_level_;
    std::array<std::array<Waiting, 4>, kMaxLevel + 1> waiting_;  // by the level of the children
    Covering covering_;
    // Of the terminal tile at hand: pieces as they come and by node, where each node's begin, and the longest slice of each.
    std::vector<Piece> pieces_;
    std::vector<Piece> sorted_;
    std::array<size_t, kNodes[kTileHeight] + 1> place_{};
    std::array<int64_t, kNodes[kTileHeight]> longest_{};
    NameTable names_;                                     // parts of the bin at hand
    std::vector<Part> parts_;                             // of bins whose node above has not ended
    std::array<std::vector<Bin>, kMaxLevel + 1> open_;    // of the open tile of each level
    uint64_t taken_ = 0;
    std::vector<Tile>& tiles_;
    std::vector<std::pair<size_t, size_t>>& contents_;
    std::vector<Bin>& bins_;
};

}  // namespace

RollupTrack::RollupTrack(const std::vector<const KeptSlices*>& children, int root_level) {
    Builder(children, root_level, tiles_, contents_, bins_).build();
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
