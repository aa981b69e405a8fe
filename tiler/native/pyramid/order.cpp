#include "pyramid/order.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <queue>
#include <stdexcept>

#include "columns/radix_order.hpp"
#include "pyramid/geometry.hpp"

namespace tilescope {

namespace {

// The least first.
template <typename T>
using CountedQueue = std::priority_queue<T, CountedVector<T>, std::greater<>>;

// The times of slices, which are looked at one after the other.
class Times {
  public:
    Times(Span<const int64_t> start, Span<const int64_t> duration) : start_(start), duration_(duration) {}

    // The end of the slice at k. Throws std::invalid_argument.
    int64_t end(size_t k) {
        constexpr auto limit = static_cast<uint64_t>(kTimeLimit);
        const int64_t start = start_[k];
        const auto begin = static_cast<uint64_t>(start), length = static_cast<uint64_t>(duration_[k]);
        // One question instead of four, of which each would be a branch.
        const bool is_sound = static_cast<int>(start >= before_) & static_cast<int>(begin < limit) &
                              static_cast<int>(length < limit - begin);
        if (!is_sound) refuse(k);
        before_ = start;
        return static_cast<int64_t>(begin + length);
    }

  private:
    [[noreturn]] void refuse(size_t k) const {
        if (k > 0 && start_[k] < start_[k - 1]) throw std::invalid_argument("slices are not in time order");
        if (start_[k] < 0 || start_[k] >= kTimeLimit) throw std::invalid_argument("times are not in [0, 2**61)");
        throw std::invalid_argument("slices end beyond 2**61");
    }

    Span<const int64_t> start_, duration_;
    int64_t before_ = 0;
};

// Rows that are so few that looking through them takes less than queues. Nothing is guessed about which of them are free.
class FewRows {
  public:
    static constexpr size_t kMost = 16;

    // Takes the ends of the slices that run, row by row.
    explicit FewRows(Span<const int64_t> ends) : open_(ends.size()) {
        std::copy(ends.begin(), ends.end(), ends_.begin());
    }

    // Writes the lowest row that is free, and counts the slice if it outlasts one that runs. False, and nothing is changed: there
    // are too many.
    bool place(int64_t start, int64_t end, uint32_t& row, size_t& overlaps) {
        while (open_ > 0 && ends_[open_ - 1] <= start) --open_;
        size_t lowest_free = open_;
        int64_t least = INT64_MAX;  // end of those that run
        for (size_t k = open_; k-- > 0;) {
            const int64_t until = ends_[k];
            const bool is_free = until <= start;
            lowest_free = is_free ? k : lowest_free;
            least = std::min(least, is_free ? INT64_MAX : until);
        }
        if (lowest_free == kMost) return false;
        overlaps += end > least;
        ends_[lowest_free] = end;
        open_ = std::max(open_, lowest_free + 1);
        row = static_cast<uint32_t>(lowest_free);
        return true;
    }

    Span<const int64_t> ends() const { return Span<const int64_t>(ends_).first(open_); }

  private:
    std::array<int64_t, kMost> ends_{};
    size_t open_;  // rows from here on are free
};

}  // namespace

bool in_canonical_order(Span<const int64_t> start, Span<const int64_t> duration) {
    const size_t n = same_size(start, duration);
    for (size_t k = 1; k < n; ++k) {
        if (start[k] != start[k - 1] ? start[k] < start[k - 1] : duration[k] > duration[k - 1]) return false;
    }
    return true;
}

void canonical_order(Span<const int64_t> start, Span<const int64_t> duration, Span<int64_t> order,
                     Span<int64_t> space) {
    const size_t n = same_size(start, duration, order);
    std::iota(order.begin(), order.end(), int64_t{0});
    if (!std::is_sorted(start.begin(), start.end())) stable_order_by(start, order, space);
    const auto start_of = [&](size_t k) { return start[static_cast<size_t>(order[k])]; };
    for (size_t first = 0, stop = 0; first < n; first = stop) {
        for (stop = first + 1; stop < n && start_of(stop) == start_of(first);) ++stop;
        if (stop - first == 1) continue;
        // From the last to the first by ascending durations, turned round: longer first, and equal ones as they stand.
        const Span<int64_t> together = order.subspan(first, stop - first);
        std::reverse(together.begin(), together.end());
        stable_order_by(duration, together, space);
        std::reverse(together.begin(), together.end());
    }
}

RowsGiven assign_rows(Span<const int64_t> start, Span<const int64_t> duration, Span<uint32_t> row,
                      MemoryBudget* budget) {
    const size_t n = same_size(start, duration, row);
    using End = std::pair<int64_t, uint32_t>;
    Times times(start, duration);
    RowsGiven given;
    // The fast road, for nested slices: a stack of ends, row r's at r. It ends at the first partial overlap.
    CountedVector<int64_t> ends(budget);
    size_t k = 0, open = 0, most = 0;
    for (; k < n; ++k) {
        const int64_t end = times.end(k);
        while (open > 0 && ends[open - 1] <= start[k]) --open;
        if (open > 0 && end > ends[open - 1]) break;
        row[k] = static_cast<uint32_t>(open);
        if (open == ends.size()) ends.push_back(end);
        else ends[open] = end;
        most = std::max(most, ++open);
    }
    given.rows = static_cast<uint32_t>(most);
    if (k == n) return given;
    ends.resize(open);

    if (open <= FewRows::kMost) {
        FewRows few(ends);
        while (few.place(start[k], times.end(k), row[k], given.overlaps)) {
            given.rows = std::max(given.rows, row[k] + 1);
            if (++k == n) return given;
        }
        ends.assign(few.ends().begin(), few.ends().end());
    }

    CountedQueue<End> running({}, CountedVector<End>(budget));
    CountedQueue<uint32_t> free({}, CountedVector<uint32_t>(budget));
    uint32_t rows = 0;
    for (; rows < ends.size(); ++rows) running.push({ends[rows], rows});
    for (; k < n; ++k) {
        const int64_t end = times.end(k);
        while (!running.empty() && running.top().first <= start[k]) {
            free.push(running.top().second);
            running.pop();
        }
        given.overlaps += !running.empty() && end > running.top().first;
        uint32_t lowest_free = rows;
        if (free.empty()) {
            ++rows;
        } else {
            lowest_free = free.top();
            free.pop();
        }
        row[k] = lowest_free;
        running.push({end, lowest_free});
    }
    given.rows = std::max(given.rows, rows);
    return given;
}

}  // namespace tilescope
