#include "prove/flow_tiles.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "prove/failure.hpp"

namespace tilescope {

namespace {

// As in docs/page-format.md: a tile with more ends has tiles below it, and a tile lists so many edges.
constexpr std::size_t kEndsOfLastTile = 1024;
constexpr std::size_t kLaunchesOfLastTile = 65536;  // the ends of flows among them
constexpr std::size_t kEdges = 32;

constexpr std::size_t kPiece = 8192;

}  // namespace

bool ProveFlowTiles::Edge::operator<(const Edge& other) const {
    // The direction comes before the partner.
    const auto key = [](const Edge& e) { return std::make_tuple(-e.count, e.bin, e.edge & 1, e.edge >> 1); };
    return key(*this) < key(other);
}

ProveFlowTiles::ProveFlowTiles(int root_level, std::size_t tracks, std::size_t ends, ProveMemory& memory)
    : root_(root_level), ends_(memory), counts_(2 * tracks, 0, memory) {
    ends_.reserve(ends);
}

void ProveFlowTiles::add(ProveFlowChunk& chunk) {
    ProveFlowChunk::Piece piece;
    while (chunk.left() > 0) {
        chunk.read(kPiece, piece);
        for (std::size_t k = 0; k < piece[0].size(); ++k) {
            add(piece[1][k], piece[2][k], piece[3][k], false);
        }
    }
}

void ProveFlowTiles::add_launches(Span<const int64_t> incoming, Span<const int64_t> tick, Span<const int64_t> partner) {
    same_size(incoming, tick, partner);
    for (std::size_t k = 0; k < tick.size(); ++k) add(incoming[k], tick[k], partner[k], true);
}

void ProveFlowTiles::add(int64_t incoming, int64_t tick, int64_t partner, bool is_launch) {
    if (incoming < 0 || incoming > 1) throw WrongRecord("an end that neither leaves nor arrives");
    if (tick < 0 || partner < 0 || static_cast<uint64_t>(partner) >= counts_.size() / 2)
        throw WrongRecord("an end of no track");
    ends_.push_back({tick, is_launch, static_cast<uint32_t>(2 * partner + incoming)});
}

bool ProveFlowTiles::has_tiles_below(std::size_t first, std::size_t stop) const {
    if (stop - first > kLaunchesOfLastTile) return true;
    if (stop - first <= kEndsOfLastTile) return false;
    const auto place = [&](std::size_t end) { return ends_.begin() + static_cast<std::ptrdiff_t>(end); };
    const auto flows = std::count_if(place(first), place(stop), [](const End& end) { return !end.is_launch; });
    return static_cast<std::size_t>(flows) > kEndsOfLastTile;
}

void ProveFlowTiles::sort() {
    const auto earlier = [](const End& a, const End& b) { return a.tick < b.tick; };
    if (!std::is_sorted(ends_.begin(), ends_.end(), earlier)) std::sort(ends_.begin(), ends_.end(), earlier);
    sorted_ = true;
    next();
}

std::size_t ProveFlowTiles::stop_of(std::size_t first, int level) const {
    const int64_t index = index_of(first, level);
    // In doubling steps, as tiles are small where there are many.
    std::size_t step = 1, stop = first;
    while (stop + step < ends_.size() && index_of(stop + step, level) == index) stop += std::exchange(step, 2 * step);
    const auto after =
        std::partition_point(ends_.begin() + static_cast<std::ptrdiff_t>(stop),
                             ends_.begin() + static_cast<std::ptrdiff_t>(std::min(stop + step, ends_.size())),
                             [&](const End& end) { return end.tick >> (2 * level + 8) == index; });
    return static_cast<std::size_t>(after - ends_.begin());
}

bool ProveFlowTiles::next() {
    first_ = stop_;
    while (level_ <= root_) {
        while (first_ < ends_.size() && first_ >= parent_stop_ && level_ < root_) {
            const std::size_t stop = stop_of(first_, level_ + 1);
            if (has_tiles_below(first_, stop)) {
                parent_stop_ = stop;
            } else {
                first_ = stop;
            }
        }
        if (first_ < ends_.size()) {
            stop_ = stop_of(first_, level_);
            return true;
        }
        ++level_;
        first_ = stop_ = parent_stop_ = 0;
    }
    return false;
}

ProveFlowTiles::Wrong ProveFlowTiles::check(int level, const ProveFlowColumns& tiles) {
    if (!sorted_) sort();
    std::size_t bin = 0, edge = 0;
    for (std::size_t tile = 0; tile < tiles.index.size(); ++tile) {
        const int64_t index = tiles.index[tile];
        const auto wrong = [&](std::string_view what) { return Wrong{level, index, std::string(what)}; };
        if (level == last_level_ && index == last_index_) return wrong("its flows are there twice");
        if (level_ > root_ || std::make_pair(level, index) < std::make_pair(level_, index_of(first_, level_))) {
            return wrong("it should have no flows of its own");
        }
        if (level != level_ || index != index_of(first_, level_)) return finish();
        const std::string_view what = wrong_tile(level, tiles, tile, bin, edge);
        if (!what.empty()) return wrong(what);
        bin += static_cast<std::size_t>(tiles.n_bins[tile]);
        edge += static_cast<std::size_t>(tiles.n_edges[tile]);
        last_level_ = level;
        last_index_ = index;
        next();
    }
    return {level, 0, ""};
}

ProveFlowTiles::Wrong ProveFlowTiles::finish() {
    if (!sorted_) sort();
    if (level_ > root_) return {0, 0, ""};
    return {level_, index_of(first_, level_), "its flows are missing"};
}

std::string_view ProveFlowTiles::wrong_tile(int level, const ProveFlowColumns& tiles, std::size_t tile,
                                            std::size_t first_bin, std::size_t first_edge) {
    const auto bins = static_cast<std::size_t>(tiles.n_bins[tile]);
    const auto edges = static_cast<std::size_t>(tiles.n_edges[tile]);
    if (bins > tiles.bin.size() - first_bin || edges > tiles.edge_bin.size() - first_edge)
        return "its bins or edges are not all there";
    std::vector<Edge> strongest;
    std::vector<uint64_t> touched;
    std::size_t bin_index = first_bin;
    for (std::size_t end = first_; end < stop_; ++bin_index) {
        const int64_t bin = ends_[end].tick >> (2 * level);
        int64_t sides[2] = {0, 0};
        for (; end < stop_ && ends_[end].tick >> (2 * level) == bin; ++end) {
            const uint64_t edge = ends_[end].edge;
            if (counts_[edge]++ == 0) touched.push_back(edge);
            ++sides[edge & 1];
        }
        for (const uint64_t edge : touched) {
            strongest.push_back({std::exchange(counts_[edge], 0), bin & 255, static_cast<int64_t>(edge)});
            if (strongest.size() < 4 * kEdges) continue;
            std::nth_element(strongest.begin(), strongest.begin() + kEdges, strongest.end());
            strongest.resize(kEdges);
        }
        touched.clear();
        if (bin_index == first_bin + bins || tiles.bin[bin_index] != (bin & 255))
            return "its bins are not those in which flow ends lie";
        if (tiles.out[bin_index] != sides[0] || tiles.into[bin_index] != sides[1])
            return "its bins do not count the flow ends that lie in them";
    }
    if (bin_index != first_bin + bins) return "its bins are not those in which flow ends lie";
    std::sort(strongest.begin(), strongest.end());
    if (strongest.size() > kEdges) strongest.resize(kEdges);
    bool same = strongest.size() == edges;
    for (std::size_t k = 0; same && k < edges; ++k) {
        const Edge& edge = strongest[k];
        const std::size_t of_tile = first_edge + k;
        same = tiles.edge_bin[of_tile] == edge.bin && tiles.edge_incoming[of_tile] == (edge.edge & 1) &&
               tiles.edge_partner[of_tile] == edge.edge >> 1 && tiles.edge_count[of_tile] == edge.count;
    }
    return same ? "" : "its edges are not the strongest, or miscounted";
}

}  // namespace tilescope
