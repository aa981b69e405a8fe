#include "pages/rounding.hpp"

#include <algorithm>

#include "pages/column_plan.hpp"

namespace tilescope {

namespace {

constexpr int kPrecisionBits = 8;

int64_t quantum_of(int level, Span<const int64_t> busy) {
    const int64_t width = int64_t{1} << (2 * level);
    const int64_t busiest = *std::max_element(busy.begin(), busy.end());
    const int64_t limit = std::min(width, busiest) >> kPrecisionBits;
    int64_t quantum =
        static_cast<int64_t>(divisor_of(0, busy.size(), [&](size_t k) { return static_cast<uint64_t>(busy[k]); }));
    while (quantum <= limit / 2) quantum *= 2;
    return quantum;
}

// `rounded_down` takes a number down to a multiple of the quantum.
template <typename RoundedDown>
void round_all(int64_t quantum, Span<const int64_t> n_bins, Span<const uint32_t> row, Span<const int64_t> busy,
               const RoundedDown& rounded_down, RoundedBusy& out) {
    size_t k = 0;
    for (const int64_t bins : n_bins) {
        int64_t carried = 0;  // in [-quantum / 2, quantum / 2]
        for (const size_t first = k; k < first + static_cast<size_t>(bins); ++k) {
            if (k == first || row[k] != row[k - 1]) carried = 0;
            // Never negative; unsigned, so that it does not overflow beside a busy time near the limit of int64.
            const uint64_t wanted = static_cast<uint64_t>(busy[k]) + static_cast<uint64_t>(carried + quantum / 2);
            const auto rounded = static_cast<int64_t>(rounded_down(wanted));
            carried += busy[k] - rounded;
            out.busy[k] = rounded;
            out.residual[k] = busy[k] - rounded;
        }
    }
}

}  // namespace

RoundedBusy round_busy(int level, Span<const int64_t> n_bins, Span<const uint32_t> row, Span<const int64_t> busy) {
    RoundedBusy out;
    if (busy.empty()) return out;
    const int64_t quantum = quantum_of(level, busy);
    const auto divisor = static_cast<uint64_t>(quantum);
    out.busy.resize(busy.size());
    out.residual.resize(busy.size());
    if ((divisor & (divisor - 1)) ==
        0) {  // as it usually is: a bin waits for the one before, and a division takes long
        const uint64_t kept = ~(divisor - 1);
        round_all(quantum, n_bins, row, busy, [kept](uint64_t wanted) { return wanted & kept; }, out);
    } else {
        round_all(quantum, n_bins, row, busy, [divisor](uint64_t wanted) { return wanted / divisor * divisor; }, out);
    }
    return out;
}

}  // namespace tilescope
