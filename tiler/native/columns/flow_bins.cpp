#include "columns/flow_bins.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace tilescope {

namespace {

constexpr int kBinBits = 8;  // of a tile
constexpr int kMostLevel = 27;
constexpr int kPartnerBits = 31;
constexpr std::size_t kLastBin = (std::size_t{1} << kBinBits) - 1;
constexpr std::uint64_t kPartner = (std::uint64_t{1} << kPartnerBits) - 1;

std::size_t direction_of(std::uint64_t key) { return static_cast<std::size_t>(key >> kPartnerBits); }
int bin_shift(std::size_t level) { return 2 * static_cast<int>(level); }
int tile_shift(std::size_t level) { return bin_shift(level) + kBinBits; }

// Ticks, which ascend, in tiles up to this one: their number.
std::size_t up_to_tile(Span<const std::int64_t> tick, int shift, std::int64_t index) {
    const auto* const stop =
        std::partition_point(tick.begin(), tick.end(), [&](std::int64_t value) { return value >> shift <= index; });
    return static_cast<std::size_t>(stop - tick.begin());
}

// The first tick behind the bin of another, of ticks that ascend and of which those before `stop` are looked at. Bins have few of
// them or very many.
std::size_t bin_stop(Span<const std::int64_t> tick, std::size_t first, std::size_t stop, int shift) {
    const auto is_in_bin = [shift, bin = tick[first] >> shift](std::int64_t value) { return value >> shift == bin; };
    std::size_t step = 1;
    for (; step < stop - first && is_in_bin(tick[first + step]); step *= 2) first += step;
    const Span<const std::int64_t> rest = tick.subspan(first, std::min(step, stop - first));
    return static_cast<std::size_t>(std::partition_point(rest.begin(), rest.end(), is_in_bin) - tick.begin());
}

// A column of one value is that of all ends.
template <typename T>
T value_at(Span<const T> column, std::size_t end) {
    return column[column.size() == 1 ? 0 : end];
}

// An edge of a tile, to be compared with the others.
struct Ranked {
    std::int64_t count;
    std::size_t place;  // among the tile's edges
    std::size_t bin;    // among all bins that are written
};

}  // namespace

// The edges of one bin as its ends come. Memory: by how many edges there are, however many ends.
class FlowTiler::BinEdges {
  public:
    void add(std::uint64_t key, std::int64_t count) {
        // Most bins have few edges, which take turns in no order: a place by key is right without a guess of the next.
        Slot& slot = slots_[(key ^ (key >> kPartnerBits)) % slots_.size()];
        if (slot.round != round_ || slot.key != key) {
            const std::size_t place = append(key);
            slot = {key, round_, place};
        }
        edges_[slot.place].count += count;
    }

    // Moves them behind those of bins before: each once, in the order of keys.
    void end_bin(std::size_t bin, std::vector<TileEdge>& out) {
        sum();
        for (const Edge& edge : edges_) out.push_back({bin, edge});
        edges_.clear();
        sum_at_ = kSumAt;
    }

  private:
    static constexpr std::size_t kSumAt = 4096;

    struct Slot {
        std::uint64_t key = 0;
        std::uint64_t round = 0;
        std::size_t place = 0;  // among the edges
    };

    std::size_t append(std::uint64_t key) {
        if (edges_.size() == sum_at_) {
            sum();
            sum_at_ = std::max(kSumAt, 2 * edges_.size());
        }
        edges_.push_back({key, 0});
        return edges_.size() - 1;
    }

    // Places of before are none any more.
    void sum() {
        ++round_;
        if (edges_.size() < 2) return;
        std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.key < b.key; });
        std::size_t last = 0;
        for (std::size_t k = 1; k < edges_.size(); ++k) {
            if (edges_[k].key == edges_[last].key) edges_[last].count += edges_[k].count;
            else edges_[++last] = edges_[k];
        }
        edges_.resize(last + 1);
    }

    std::vector<Edge> edges_;
    std::size_t sum_at_ = kSumAt;
    std::array<Slot, 64> slots_{};
    std::uint64_t round_ = 1;
};

FlowTiler::FlowTiler(const FlowEndColumns& ends, int root_level, const FlowTileLimits& limits)
    : ends_(ends), all_alike_(ends.incoming.size() == 1 && ends.partner.size() == 1), limits_(limits) {
    if (ends.incoming.size() != 1) same_size(ends.tick, ends.incoming);
    if (ends.partner.size() != 1) same_size(ends.tick, ends.partner);
    if (root_level < 0 || root_level > kMostLevel) throw std::invalid_argument("there is no such level");
    open_.resize(static_cast<std::size_t>(root_level) + 1);
    lowest_ = open_.size();
}

bool FlowTiler::read(std::size_t most_ends, std::vector<FlowBins>& levels) {
    levels.assign(open_.size(), {});
    const std::size_t n = ends_.tick.size(), first = next_;
    while (next_ < n && (next_ == first || next_ - first < most_ends)) {
        if (lowest_ == open_.size()) open(--lowest_);
        while (open_[lowest_].has_tiles_below) open(--lowest_);
        sum_ends(lowest_);
        while (lowest_ < open_.size() && open_[lowest_].stop == next_) {
            close(lowest_, levels[lowest_]);
            ++lowest_;
        }
    }
    return next_ > first;
}

// Opens the tile of the next end.
void FlowTiler::open(std::size_t level) {
    OpenTile& tile = open_[level];
    const int shift = tile_shift(level);
    const std::size_t stop = level + 1 == open_.size() ? ends_.tick.size() : open_[level + 1].stop;
    tile.index = ends_.tick[next_] >> shift;
    const std::size_t size = up_to_tile(ends_.tick.subspan(next_, stop - next_), shift, tile.index);
    const std::size_t flows =
        up_to_tile(ends_.flow_tick, shift, tile.index) - up_to_tile(ends_.flow_tick, shift, tile.index - 1);
    tile.stop = next_ + size;
    tile.has_tiles_below = level > 0 && (flows > limits_.flows || size > limits_.ends);
}

void FlowTiler::sum_ends(std::size_t level) {
    OpenTile& tile = open_[level];
    const int shift = bin_shift(level);
    BinEdges edges;
    std::int64_t before = before_;
    std::size_t next = next_;
    while (next < tile.stop) {
        const std::int64_t bin = ends_.tick[next] >> shift;
        const auto is_in_bin = [&] { return next < tile.stop && ends_.tick[next] >> shift == bin; };
        while (is_in_bin()) {
            const std::int8_t incoming = value_at(ends_.incoming, next);
            const std::int32_t partner = value_at(ends_.partner, next);
            if ((incoming != 0 && incoming != 1) || partner < 0)
                throw std::invalid_argument("there are no such flow ends");
            const std::size_t first = next;
            do {
                if (ends_.tick[next] < before) throw std::invalid_argument("flow ends are not in time order");
                next = all_alike_ ? bin_stop(ends_.tick, next, tile.stop, shift) : next + 1;
                before = ends_.tick[next - 1];
            } while (is_in_bin() && value_at(ends_.partner, next) == partner &&
                     value_at(ends_.incoming, next) == incoming);
            edges.add(static_cast<std::uint64_t>(incoming) << kPartnerBits | static_cast<std::uint64_t>(partner),
                      static_cast<std::int64_t>(next - first));
        }
        edges.end_bin(static_cast<std::size_t>(bin) & kLastBin, tile.edges);
    }
    before_ = before;
    next_ = next;
}

// Writes a tile, and adds it to the one above.
void FlowTiler::close(std::size_t level, FlowBins& out) {
    OpenTile& tile = open_[level];
    write(tile, out);
    if (level + 1 < open_.size()) {
        OpenTile& above = open_[level + 1];
        const std::size_t first = (static_cast<std::size_t>(tile.index) & 3) << (kBinBits - 2);
        BinEdges edges;
        for (std::size_t k = 0; k < tile.edges.size();) {
            const std::size_t bin = tile.edges[k].bin >> 2;
            for (; k < tile.edges.size() && tile.edges[k].bin >> 2 == bin; ++k)
                edges.add(tile.edges[k].edge.key, tile.edges[k].edge.count);
            edges.end_bin(first + bin, above.edges);
        }
    }
    tile.edges.clear();
}

// The strongest edges are told apart; the others stay in what their bins count.
void FlowTiler::write(const OpenTile& tile, FlowBins& out) const {
    const std::size_t first = out.bin.size();
    std::vector<Ranked> ranked;
    ranked.reserve(tile.edges.size());
    for (const auto& [bin, edge] : tile.edges) {
        if (out.bin.size() == first || out.bin.back() != static_cast<std::int64_t>(bin)) {
            out.bin.push_back(static_cast<std::int64_t>(bin));
            out.out.push_back(0);
            out.into.push_back(0);
        }
        (direction_of(edge.key) != 0 ? out.into : out.out).back() += edge.count;
        ranked.push_back({edge.count, ranked.size(), out.bin.size() - 1});
    }
    const std::size_t kept = std::min(ranked.size(), limits_.edges);
    // What is equally strong stays in order.
    std::partial_sort(
        ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept), ranked.end(),
        [](const Ranked& a, const Ranked& b) { return a.count != b.count ? a.count > b.count : a.place < b.place; });
    for (const Ranked& strong : Span<const Ranked>(ranked).first(kept)) {
        const std::uint64_t key = tile.edges[strong.place].edge.key;
        out.edge_bin.push_back(out.bin[strong.bin]);
        out.edge_incoming.push_back(static_cast<std::int64_t>(direction_of(key)));
        out.edge_partner.push_back(static_cast<std::int64_t>(key & kPartner));
        out.edge_count.push_back(strong.count);
    }
    out.index.push_back(tile.index);
    out.n_bins.push_back(static_cast<std::int64_t>(out.bin.size() - first));
    out.n_edges.push_back(static_cast<std::int64_t>(kept));
}

}  // namespace tilescope
