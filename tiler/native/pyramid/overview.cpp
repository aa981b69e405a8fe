#include "pyramid/overview.hpp"

#include <algorithm>

namespace tilescope {

uint8_t utilisation(int64_t busy, int64_t lanes, int64_t width) {
    __extension__ using Wide = unsigned __int128;
    const Wide capacity = static_cast<Wide>(lanes) * static_cast<Wide>(width);
    const Wide part = (static_cast<Wide>(busy) * 255 + capacity - 1) / capacity;
    return static_cast<uint8_t>(std::clamp<Wide>(part, 1, 255));
}

std::vector<OverviewBin> TrackOverview::bins() const {
    std::vector<OverviewBin> result;
    for (size_t bin = 0; bin < best_.size(); ++bin) {
        if (!best_[bin].any) continue;
        result.push_back({static_cast<int64_t>(bin), best_[bin].name, utilisation(best_[bin].busy, 1, width_)});
    }
    return result;
}

void TrackOverview::add_edge(int64_t bin, const Part& part) {
    if (edges_ != 0 && (edge_bin_ != bin || edges_ == 2)) offer_edges();
    edge_bin_ = bin;
    if (edges_ == 1 && edge_[0].name == part.name) {
        add_to(edge_[0], part);
        edge_busy_[0] = edge_[0].busy;
        return;
    }
    edge_[edges_] = part;
    edge_busy_[edges_++] = part.busy;
}

// Offers the sum of a bin in which there is nothing else.
void TrackOverview::offer_edges() {
    if (edges_ == 0) return;
    const bool second = edges_ == 2 && dominates(edge_[1], edge_[0]);
    offer(edge_bin_, edges_ == 2 ? add_busy(edge_busy_[0], edge_busy_[1]) : edge_busy_[0], edge_[second ? 1 : 0].name);
    edges_ = 0;
}

// A slice of the row fills the bins [first, last). Once a row fills a bin, none of those that follow can be chosen, so bins that
// are full are passed over together.
void TrackOverview::cover(int64_t first, int64_t last, int32_t name) {
    for (int64_t bin = next_open(first); bin < last; bin = next_open(bin + 1)) {
        offer(bin, width_, name);
        open_from_[static_cast<size_t>(bin)] = bin + 1;
    }
}

void TrackOverview::offer(int64_t bin, int64_t busy, int32_t name) {
    if (static_cast<size_t>(bin) >= best_.size()) best_.resize(static_cast<size_t>(bin) + 1);
    Best& best = best_[static_cast<size_t>(bin)];
    if (!best.any || busy > best.busy || (busy == best.busy && row_ < best.row)) best = {busy, row_, name, true};
}

// The first bin from this one on that no row has filled.
int64_t TrackOverview::next_open(int64_t bin) {
    while (static_cast<size_t>(bin) >= open_from_.size()) open_from_.push_back(static_cast<int64_t>(open_from_.size()));
    int64_t& here = open_from_[static_cast<size_t>(bin)];
    while (static_cast<size_t>(here) < open_from_.size() && open_from_[static_cast<size_t>(here)] != here)
        here = open_from_[static_cast<size_t>(here)];
    return here;
}

}  // namespace tilescope
