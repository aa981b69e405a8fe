#include "pyramid/rollup_track.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/counted.hpp"
#include "pyramid/covering.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/name_table.hpp"
#include "pyramid/node_notes.hpp"
#include "pyramid/rollup_sums.hpp"
#include "pyramid/rollup_sweep.hpp"

namespace tilescope {

namespace {

// A terminal tile is summed up in parts of about so many slices, or of 16 bins: what is worked on stays in the cache. 4,096 took
// 3 % longer with 100 tracks, as more parts have fewer slices of each track; 65,536 took as long.
constexpr size_t kSlicesAtOnce = 8192;
constexpr int kPartHeight = 2;

// A cut is where a tile so many levels below the root begins, and so a bin of the root: no bin is in both parts.
constexpr int kCutDepth = 4;

// The rest of a slice behind the time at which it was seen.
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
template <typename APart>
class Builder {
    using Notes = NodeNotes<APart>;

  public:
    Builder(const std::vector<const KeptSlices*>& children, int root_level, RollupSpan span, std::vector<Tile>& tiles,
            std::vector<std::pair<size_t, size_t>>& contents, std::vector<Bin>& bins, std::vector<OpenTile>& open_tiles,
            MemoryBudget* budget, size_t terminal_slices)
        : sweep_(children),
          slices_(sweep_.count_before(INT64_MAX)),
          root_level_(root_level),
          span_(span),
          terminal_slices_(terminal_slices),
          budget_(budget),
          tiles_(tiles),
          contents_(contents),
          bins_(bins),
          open_tiles_(open_tiles) {
        for (auto& level : waiting_) {
            for (Waiting& waiting : level) waiting.ending = Rests(budget);
        }
    }

    void build() {
        if (slices_ == 0) return;
        if (span_.start > 0) {
            const int level = root_level_ - kCutDepth;
            const int64_t index = tile_at(span_.start, level) - 1;
            taken_ = sweep_.pass_to(span_.start, [&](int64_t end, int64_t duration, int32_t name) {
                wait_behind(level, index, {end, duration, name});
            });
        }
        build(root_level_, 0, slices_, Rests(budget_));
    }

  private:
    // One of the four children of a tile that is open, before it is built: slices that start before it.
    struct Waiting {
        NameTable covering;        // how many of each name cover it, but not its parent
        int64_t longest = 0;       // of these
        Rests ending{nullptr};     // those that end in it
    };

    // Returns the longest of the slices in the tile, unless they cover it. Leaves their parts to the node above its bins.
    int64_t build(int level, int64_t index, size_t starting, Rests ending) {
        const bool terminal =
            level == 0 || (level < root_level_ && starting <= terminal_slices_ && !has_cut(level, index));
        const uint64_t before = taken_;
        const int64_t longest =
            terminal ? sum_part(level, level, index, starting, std::move(ending))
                     : sum_children(
                           level, index, std::move(ending), [this](int64_t stop) { return about_before(stop); },
                           [this](int below, int64_t child, size_t slices, Rests rests) {
                               return build(below, child, slices, std::move(rests));
                           });
        write(level, index, before, terminal);
        return longest;
    }

    // True if the span begins or ends amid a tile.
    bool has_cut(int level, int64_t index) const {
        return is_amid(level, index, span_.start) || is_amid(level, index, span_.stop);
    }

    static bool is_amid(int level, int64_t index, int64_t time) {
        return tile_start(index, level) < time && time < tile_start(index + 1, level);
    }

    // About how many slices that are yet to come start before `stop`: the tile before it is terminal just if it would be with the
    // true number. Zero if there are none.
    size_t about_before(int64_t stop) {
        const auto [least, most] = sweep_.bounds_before(stop);
        if (most <= terminal_slices_) return most;
        if (least == most || least > terminal_slices_) return least;
        return sweep_.count_before(stop);
    }

    // As `build`, of a part of a terminal tile with bins of the level `bins`: what a tile of the level `level` would hold. About
    // `starting` slices start in it: where it is divided, they are taken for spread evenly, as counting them was 7 % of the time
    // of a rollup.
    int64_t sum_part(int bins, int level, int64_t index, size_t starting, Rests ending) {
        const int height = level - bins + Notes::kHeight;
        if (height == kPartHeight || starting + ending.size() <= kSlicesAtOnce)
            return sum_slices(bins, level, index, ending);
        return sum_children(
            level, index, std::move(ending),
            [this, starting](int64_t stop) { return sweep_.any_before(stop) ? std::max<size_t>(1, starting / 4) : 0; },
            [this, bins](int below, int64_t child, size_t slices, Rests rests) {
                return sum_part(bins, below, child, slices, std::move(rests));
            });
    }

    template <typename Count, typename Build>
    int64_t sum_children(int level, int64_t index, Rests ending, const Count& count_before, const Build& build_child) {
        for (const Rest& rest : ending) wait_from(level - 1, 4 * index, rest);
        Rests(budget_).swap(ending);  // each slice waits in one place, not at every level
        int64_t longest = 0;
        for (int64_t child = 4 * index; child < 4 * index + 4; ++child) {
            if (tile_start(child + 1, level - 1) <= span_.start) continue;
            if (tile_start(child, level - 1) >= span_.stop) break;
            Waiting& waiting = waiting_at(level - 1, child);
            const size_t starting = count_before(tile_start(child + 1, level - 1));
            const std::vector<Part>& covering = waiting.covering.parts();
            const bool any = starting > 0 || !covering.empty() || !waiting.ending.empty();
            if (!any && covering_.summary().slices == 0 && !has_cut(level - 1, child)) continue;
            const Covering::Summary before = covering_.summary();
            covering_.enter(covering, waiting.longest);
            longest = std::max(
                {longest, waiting.longest, build_child(level - 1, child, starting, std::move(waiting.ending))});
            covering_.leave(covering, before);
            pass_up(level - 1 + Notes::kHeight, covering);
            waiting = {{}, 0, Rests(budget_)};
        }
        end_node(level + Notes::kHeight, index, longest);
        return longest;
    }

    int64_t sum_slices(int bins, int level, int64_t index, const Rests& ending) {
        const int64_t start = tile_start(index, level);
        const int64_t stop = tile_start(index + 1, level);
        const int height = level - bins + Notes::kHeight;
        notes_.begin(bins, int64_t{1} << (2 * height), stop);
        for (const Rest& rest : ending) notes_.add_rest(start, rest.end, rest.duration, rest.name);
        sweep_.take_before(stop, [&](const SliceColumns& slices) {
            notes_.add(slices, [&](size_t k) {
                wait_behind(level, index, {slices.end(k), slices.duration[k], slices.name[k]});
            });
            taken_ += slices.size();
        });
        const int64_t longest = sum_node(bins, height, index, 0);
        notes_.clear();
        return longest;
    }

    Waiting& waiting_at(int level, int64_t index) {
        return waiting_[static_cast<size_t>(level - kLowestPart)][static_cast<size_t>(index % 4)];
    }

    // Notes a slice that runs at the start of a child at the children up to its end. False: it outlasts the last.
    bool wait_from(int level, int64_t child, const Rest& rest) {
        do {
            if (tile_start(child, level) >= span_.stop) return true;
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

    // Sums a node of a terminal tile, and those below. Returns the longest of the slices in it, those that were entered above
    // left out.
    int64_t sum_node(int level, int height, int64_t index, size_t position) {
        const size_t number = Notes::number(position, height);
        const int64_t own = notes_.longest(number);
        if (height == 0) {
            const RollupSums sums = notes_.sum(number, summer_, parts_of(level + 1), may_be_cut(level));
            end_bin(level, index, std::max(own, sums.longest), sums);
            return std::max(own, sums.longest);
        }
        std::vector<Part>& names = covers_[static_cast<size_t>(height)];
        names.clear();
        notes_.sum(number, summer_, covering_parts_, false);
        for (const APart& part : covering_parts_.parts()) names.emplace_back(part.name(), part.busy(), part.count());
        covering_parts_.clear();
        const Covering::Summary before = covering_.summary();
        covering_.enter(names, own);
        int64_t longest = 0;
        for (int64_t below = 4 * index; below < 4 * index + 4; ++below) {
            const size_t child = 4 * position + static_cast<size_t>(below % 4);
            if (covering_.summary().slices == 0 && !notes_.any(child, height - 1)) continue;
            longest = std::max(longest, sum_node(level, height - 1, below, child));
        }
        end_node(level + height, index, longest);
        covering_.leave(names, before);
        pass_up(level + height, names);
        return std::max(longest, own);
    }

    // Adds up the parts that the children of a node have left. `longest`: of slices that do not cover it.
    void end_node(int level, int64_t index, int64_t longest) {
        if (level > root_level_) return;  // no bin, and nothing was left
        PartBuffer<APart>& parts = parts_of(level);
        const RollupSums sums = summer_.sum(parts.parts(), parts_of(level + 1), may_be_cut(level));
        parts.clear();
        end_bin(level, index, longest, sums);
    }

    // Writes a bin whose parts, one of each name, were just summed up and left to the node above.
    void end_bin(int level, int64_t index, int64_t longest, const RollupSums& sums) {
        const Covering::Summary& covering = covering_.summary();
        const bool covered = covering.slices > 0;
        if (sums.names == 0 && !covered) return;
        Bin out{sums.busy, std::max(longest, covering.longest),        sums.count, 0,
                0,         static_cast<uint8_t>(index % kBinsPerTile), 0};
        Part best = sums.best;
        PartBuffer<APart>& above = parts_of(level + 1);
        if (covered) {
            out.busy = add_busy(out.busy, covering_.busy(level));
            best = covering_.dominant(level);
            if (sums.names > 0) better_of(level, above.parts().subspan(above.size() - sums.names), sums.best, best);
        }
        out.name = best.name;
        out.share = share_of(best, out.busy, out.count);
        open_[static_cast<size_t>(level)].push_back(out);
        if (level == root_level_) above.clear();
    }

    // Sets `best` to the dominant part, if it is one of `parts`, the names of some of which also cover the bin: by itself,
    // without that, `own` is the best.
    void better_of(int level, Span<const APart> parts, const Part& own, Part& best) {
        const auto offer = [&](Part part) {
            part.busy = add_busy(part.busy, covering_.busy(level, part.name));
            if (names_better(part, best)) best = part;
        };
        offer(own);
        const int64_t most = covering_.most_busy(level);
        const auto offer_one = [&](const APart& part) {
            if (best.name >= 0 && add_busy(part.busy(), most) < best.busy) return;
            offer({part.name(), part.busy(), part.count()});
        };
        const Span<const int32_t> covers = covering_.names();
        if (covers.size() >= parts.size()) {
            for (const APart& part : parts) offer_one(part);
            return;
        }
        for (const int32_t name : covers) {
            const size_t place = summer_.place_of(name);
            if (place < parts.size()) offer_one(parts[place]);
        }
    }

    // Leaves to the node above the parts of slices that cover a node of this level.
    void pass_up(int level, const std::vector<Part>& covers) {
        if (level >= root_level_) return;
        for (const Part& cover : covers) {
            parts_of(level + 1).add({cover.name, Covering::busy_of(static_cast<int64_t>(cover.count), level), 0});
        }
    }

    // Parts that were left to the node of the level that is open.
    PartBuffer<APart>& parts_of(int level) { return parts_[static_cast<size_t>(level)]; }

    // True if sums in a bin of the level may be beyond the limit: each slice is busy for as long as the bin at most.
    bool may_be_cut(int level) const { return slices_ > static_cast<uint64_t>(kBusyLimit) >> (2 * level); }

    void write(int level, int64_t index, uint64_t before, bool terminal) {
        std::vector<Bin>& bins = open_[static_cast<size_t>(level)];
        const Tile tile{
            index, before, taken_, contents_.size(), static_cast<uint8_t>(level), terminal ? kTerminal : uint8_t{0}};
        if (is_amid(level, index, span_.stop)) {
            open_tiles_.push_back({tile, std::move(bins)});
            return;
        }
        tiles_.push_back(tile);
        contents_.push_back({bins_.size(), bins_.size() + bins.size()});
        bins_.insert(bins_.end(), bins.begin(), bins.end());
        bins.clear();
    }

    RollupSweep sweep_;
    uint64_t slices_;
    int root_level_;
    RollupSpan span_;
    size_t terminal_slices_;
    MemoryBudget* budget_;
    static constexpr int kLowestPart = kPartHeight - Notes::kHeight;  // level of the parts of tiles of level 0
    std::array<std::array<Waiting, 4>, kMaxLevel + 1 - kLowestPart> waiting_;  // by the level of the children
    Covering covering_;
    RollupSummer<APart>& summer_ = RollupSummer<APart>::of_thread();
    Notes notes_;  // of the part of a terminal tile at hand, none between two of them
    PartBuffer<APart> covering_parts_;
    std::array<std::vector<Part>, Notes::kHeight + 1> covers_;  // of the nodes that are open there, by height
    std::array<PartBuffer<APart>, kMaxLevel + 2> parts_;  // by level: of bins whose node above has not ended
    std::array<std::vector<Bin>, kMaxLevel + 1> open_;    // of the open tile of each level
    uint64_t taken_ = 0;
    std::vector<Tile>& tiles_;
    std::vector<std::pair<size_t, size_t>>& contents_;
    std::vector<Bin>& bins_;
    std::vector<OpenTile>& open_tiles_;
};

}  // namespace

RollupTrack::RollupTrack(const std::vector<const KeptSlices*>& children, int root_level, RollupSpan span,
                         MemoryBudget* budget, size_t terminal_slices, uint64_t narrow_slices) {
    const auto may_cut = [root_level](int64_t time) {
        return root_level >= kCutDepth && tile_at(time, root_level) == 0 &&
               bin_start(bin_at(time, root_level), root_level) == time;
    };
    if ((span.start != 0 && !may_cut(span.start)) || (span.stop != INT64_MAX && !may_cut(span.stop)))
        throw std::invalid_argument("a rollup is cut where a bin of its root begins");
    uint64_t slices = 0;
    for (const KeptSlices* child : children) slices += child->size();
    const auto build = [&](auto part) {
        Builder<decltype(part)>(children, root_level, span, tiles_, contents_, bins_, open_tiles_, budget,
                                terminal_slices)
            .build();
    };
    if (slices <= narrow_slices) build(NarrowPart());
    else build(WidePart());
}

// Goes down to where so many slices have started, as long as tiles are sure to have children. What is a little off does no
// harm: nothing is read. 0: no cut is nearer than `nearest`.
static int64_t cut_near(const RollupSweep& sweep, int root_level, size_t terminal_slices, size_t wanted,
                        size_t nearest) {
    int64_t cut = 0;
    int64_t tile = 0;
    for (int level = root_level - 1; root_level >= kCutDepth && level >= root_level - kCutDepth; --level) {
        const auto bounds = [&](int64_t index) { return sweep.bounds_before(tile_start(index, level)); };
        const int64_t last = 4 * tile + 3;
        tile = 4 * tile;
        while (tile < last && bounds(tile + 1).first < wanted) ++tile;
        for (const int64_t edge : {tile, tile + 1}) {
            const size_t before = bounds(edge).second;
            const size_t off = before > wanted ? before - wanted : wanted - before;
            if (off >= nearest) continue;
            nearest = off;
            cut = tile_start(edge, level);
        }
        if (bounds(tile + 1).first <= bounds(tile).second + terminal_slices) break;
    }
    return cut;
}

std::vector<int64_t> RollupTrack::cuts(const std::vector<const KeptSlices*>& children, int root_level, size_t parts,
                                       size_t terminal_slices) {
    const RollupSweep sweep(children);
    const size_t slices = sweep.bounds_before(INT64_MAX).second;
    std::vector<int64_t> cuts;
    for (size_t part = 1; part < parts; ++part) {
        const size_t wanted = slices / parts * part;
        const int64_t cut = cut_near(sweep, root_level, terminal_slices, wanted, slices / parts / 2);
        if (cut > (cuts.empty() ? 0 : cuts.back())) cuts.push_back(cut);
    }
    return cuts;
}

void RollupTrack::join(const RollupTrack& later) {
    if (&later == this || !later.open_tiles_.empty()) throw std::invalid_argument("this is not the part behind a cut");
    size_t ended = 0;
    bins_.reserve(bins_.size() + later.bins_.size() + open_tiles_.size() * kBinsPerTile);
    for (Tile tile : later.tiles_) {
        const auto [first, last] = later.contents_[tile.content];
        const size_t begin = bins_.size();
        for (const OpenTile& open : open_tiles_) {
            if (open.tile.level != tile.level || open.tile.index != tile.index) continue;
            if (open.tile.last != tile.first) throw std::invalid_argument("slices are not in time order");
            tile.first = open.tile.first;
            bins_.insert(bins_.end(), open.bins.begin(), open.bins.end());
            ++ended;
        }
        const auto bins = later.bins_.begin();
        bins_.insert(bins_.end(), bins + static_cast<std::ptrdiff_t>(first), bins + static_cast<std::ptrdiff_t>(last));
        tile.content = contents_.size();
        contents_.push_back({begin, bins_.size()});
        tiles_.push_back(tile);
    }
    if (ended != open_tiles_.size()) throw std::invalid_argument("these are not the two parts of a rollup");
    open_tiles_.clear();
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
    page.append_bins(Span<const Bin>(bins_).subspan(first, last - first));
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
