#include "columns/activity_bins.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope {

namespace {

constexpr double full = 255;

// Busy time up to a place that only moves on, by interpolation within the bins of the load.
class BusyUpTo {
  public:
    explicit BusyUpTo(const ActivityLoad& load) : load_(load) {}

    double place(double position) {
        while (bin_ < load_.busy.size() && edge(bin_ + 1) <= position) before_ += load_.busy[bin_++] * load_.step;
        if (bin_ == load_.busy.size() || position <= edge(bin_)) return before_;
        return before_ + load_.busy[bin_] * (position - edge(bin_));
    }

  private:
    double edge(std::size_t bin) const { return load_.first + load_.step * static_cast<double>(bin); }

    const ActivityLoad& load_;
    std::size_t bin_ = 0;
    double before_ = 0;  // busy time of the bins before
};

// The part of the grid, of bins [0, bins), that a load can reach: [first, last).
struct Reach {
    std::size_t first;
    std::size_t last;
};

std::size_t bin_at(double place, std::size_t bins) {
    if (!(place > 0)) return 0;  // also what is no number
    const auto last = static_cast<double>(bins - 1);
    return static_cast<std::size_t>(std::min(place, last));
}

Reach reach_of(const ActivityLoad& load, std::size_t bins) {
    const double end = load.first + load.step * static_cast<double>(load.busy.size());
    return {bin_at(load.first, bins), bin_at(end, bins) + 1};
}

}  // namespace

ActivityBins activity_bins(const std::vector<ActivityLoad>& loads, std::size_t bins) {
    ActivityBins out;
    if (bins == 0) return out;
    std::vector<double> busy(bins, 0);
    std::vector<std::uint8_t> used(bins, 0);
    for (const ActivityLoad& load : loads) {
        const Reach reach = reach_of(load, bins);
        BusyUpTo up_to(load);
        double before = up_to.place(static_cast<double>(reach.first));
        for (std::size_t bin = reach.first; bin < reach.last; ++bin) {
            const double here = up_to.place(static_cast<double>(bin + 1));
            if (here > before) {
                busy[bin] += here - before;
                used[bin] = 1;
            }
            before = here;
        }
        for (std::size_t k = 0; k < load.busy.size(); ++k) {
            if (load.busy[k] > 0) used[bin_at(load.first + load.step * static_cast<double>(k), bins)] = 1;
        }
    }
    for (std::size_t bin = 0; bin < bins; ++bin) {
        if (!used[bin]) continue;
        const double part = std::ceil(full * busy[bin] / static_cast<double>(loads.size()));
        out.bins.push_back(static_cast<std::int64_t>(bin));
        out.utilisation.push_back(static_cast<std::uint8_t>(part > 1 ? std::min(part, full) : 1));
    }
    return out;
}

}  // namespace tilescope
