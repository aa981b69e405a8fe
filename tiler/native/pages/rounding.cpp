#include "pages/rounding.hpp"

#include <algorithm>

#include "pages/container.hpp"

namespace tilescope {

namespace {

constexpr int kPrecisionBits = 8;

int64_t quantum_of(int level, const std::vector<int64_t>& busy) {
    const int64_t width = int64_t{1} << (2 * level);
    const int64_t busiest = *std::max_element(busy.begin(), busy.end());
    const int64_t limit = std::min(width, busiest) >> kPrecisionBits;
    int64_t quantum = static_cast<int64_t>(common_scale(busy));
    while (quantum <= limit / 2) quantum *= 2;
    return quantum;
}

}  // namespace

RoundedBusy round_busy(int level, const std::vector<int64_t>& n_bins, const std::vector<int64_t>& row,
                       const std::vector<int64_t>& busy) {
    RoundedBusy out;
    if (busy.empty()) return out;
    const int64_t quantum = quantum_of(level, busy);
    out.busy.reserve(busy.size());
    out.residual.reserve(busy.size());
    size_t at = 0;
    for (const int64_t bins : n_bins) {
        int64_t carried = 0;  // in [-quantum / 2, quantum / 2]
        for (const size_t first = at; at < first + static_cast<size_t>(bins); ++at) {
            if (at == first || row[at] != row[at - 1]) carried = 0;
            // Never negative; unsigned, so that it does not overflow beside a busy time near the limit of int64.
            const uint64_t wanted = static_cast<uint64_t>(busy[at]) + static_cast<uint64_t>(carried + quantum / 2);
            const auto rounded = static_cast<int64_t>(wanted / static_cast<uint64_t>(quantum)) * quantum;
            carried += busy[at] - rounded;
            out.busy.push_back(rounded);
            out.residual.push_back(busy[at] - rounded);
        }
    }
    return out;
}

}  // namespace tilescope
