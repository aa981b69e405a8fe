#include "columns/flow_bins.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace tilescope {

namespace {

constexpr int kBinBits = 8;  // of a tile
constexpr int kMostLevel = 27;
constexpr int kPartnerBits = 31;
constexpr std::uint64_t kPartner = (std::uint64_t{1} << kPartnerBits) - 1;

// Ends of one bin that are alike.
struct Edge {
    std::uint64_t key;  // direction and partner, in this order
    std::int64_t count;

    std::size_t incoming() const { return static_cast<std::size_t>(key >> kPartnerBits); }
};

// The edges of one bin as its ends come. Memory: by how many edges there are, however many ends.
class BinEdges {
  public:
    void add(std::uint64_t key) {
        if (!edges_.empty() && edges_.back().key == key) {
            ++edges_.back().count;
            return;
        }
        if (edges_.size() == sum_at_) {
            sum();
            sum_at_ = std::max(kSumAt, 2 * edges_.size());
        }
        edges_.push_back({key, 1});
    }

    // Each once, in the order of keys.
    const std::vector<Edge>& sum() {
        if (edges_.size() < 2) return edges_;
        std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.key < b.key; });
        std::size_t last = 0;
        for (std::size_t k = 1; k < edges_.size(); ++k) {
            if (edges_[k].key == edges_[last].key) edges_[last].count += edges_[k].count;
            else edges_[++last] = edges_[k];
        }
        edges_.resize(last + 1);
        return edges_;
    }

    void clear() {
        edges_.clear();
        sum_at_ = kSumAt;
    }

  private:
    static constexpr std::size_t kSumAt = 4096;

    std::vector<Edge> edges_;
    std::size_t sum_at_ = kSumAt;
};

struct Ranked {
    Edge edge;
    std::size_t place;  // of its bin, among those of the tile
};

void check(std::int64_t tick, std::int64_t before, std::int8_t incoming, std::int32_t partner) {
    if (tick < before) throw std::invalid_argument("flow ends are not in time order");
    if ((incoming != 0 && incoming != 1) || partner < 0) throw std::invalid_argument("there are no such flow ends");
}

// Writes the strongest edges of the tile whose bins stand from `first` on; the others stay in what its bins count.
void end_tile(FlowBins& out, std::vector<Ranked>& edges, std::size_t first, std::size_t edges_per_tile) {
    const std::size_t kept = std::min(edges.size(), edges_per_tile);
    // What is equally strong stays in order, in which it came.
    std::stable_sort(edges.begin(), edges.end(),
                     [](const Ranked& a, const Ranked& b) { return a.edge.count > b.edge.count; });
    for (const Ranked& ranked : Span<const Ranked>(edges).first(kept)) {
        const std::size_t bin = first + ranked.place;
        (ranked.edge.incoming() != 0 ? out.other_in : out.other_out)[bin] -= ranked.edge.count;
        out.edge_bin.push_back(out.bin[bin]);
        out.edge_incoming.push_back(static_cast<std::int64_t>(ranked.edge.incoming()));
        out.edge_partner.push_back(static_cast<std::int64_t>(ranked.edge.key & kPartner));
        out.edge_count.push_back(ranked.edge.count);
    }
    out.n_bins.push_back(static_cast<std::int64_t>(out.bin.size() - first));
    out.n_edges.push_back(static_cast<std::int64_t>(kept));
    edges.clear();
}

}  // namespace

FlowBins flow_bins(int level, Span<const std::int64_t> tick, Span<const std::int8_t> incoming,
                   Span<const std::int32_t> partner, std::size_t edges_per_tile) {
    const std::size_t n = same_size(tick, incoming, partner);
    if (level < 0 || level > kMostLevel) throw std::invalid_argument("there is no such level");
    const int bin_shift = 2 * level;
    FlowBins out;
    BinEdges edges_of_bin;
    std::vector<Ranked> edges;  // of the tile
    std::size_t first = 0;      // of its bins
    std::int64_t before = 0;
    for (std::size_t k = 0; k < n;) {
        const std::int64_t bin = tick[k] >> bin_shift;
        const std::int64_t index = bin >> kBinBits;
        if (out.index.empty() || out.index.back() != index) {
            if (!out.index.empty()) end_tile(out, edges, first, edges_per_tile);
            first = out.bin.size();
            out.index.push_back(index);
        }
        std::array<std::int64_t, 2> ends{};
        for (; k < n && tick[k] >> bin_shift == bin; ++k) {
            check(tick[k], before, incoming[k], partner[k]);
            before = tick[k];
            const std::size_t direction = incoming[k] != 0 ? 1 : 0;
            ++ends[direction];
            edges_of_bin.add(std::uint64_t{direction} << kPartnerBits | static_cast<std::uint64_t>(partner[k]));
        }
        for (const Edge& edge : edges_of_bin.sum()) edges.push_back({edge, out.bin.size() - first});
        edges_of_bin.clear();
        out.bin.push_back(bin & ((std::int64_t{1} << kBinBits) - 1));
        out.out.push_back(ends[0]);
        out.into.push_back(ends[1]);
        out.other_out.push_back(ends[0]);
        out.other_in.push_back(ends[1]);
    }
    if (n != 0) end_tile(out, edges, first, edges_per_tile);
    return out;
}

}  // namespace tilescope
