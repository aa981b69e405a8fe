#include "search/hits.hpp"

#include <algorithm>
#include <stdexcept>

namespace tilescope {

namespace {

constexpr int64_t kBusyAtMost = int64_t{1} << 62;

// Calls `take(leaf, row, start, duration)` for every hit. Names are looked at first: where none fits, nothing else is
// decoded. Which do is as good as random, and that loop has no branch: one that is guessed wrong takes as long as all else.
template <typename Take>
void each_hit(const HitFilter& filter, SearchPage& page, Span<const SearchedLeaf> leaves, Take take) {
    const Span<const int64_t> name = page.names();
    const Span<const uint8_t> wanted = filter.names;
    if (wanted.empty()) return;
    std::vector<std::size_t>& chosen = page.chosen();
    for (const SearchedLeaf& leaf : leaves) {
        const SearchPage::Rows rows = page.rows(leaf);
        if (chosen.size() < rows.last - rows.first) chosen.resize(rows.last - rows.first);
        std::size_t n = 0;
        for (std::size_t k = rows.first; k < rows.last; ++k) {
            const auto number = static_cast<uint64_t>(name[k]) + 1;
            chosen[n] = k;
            n += static_cast<std::size_t>(number < wanted.size()) & wanted[number < wanted.size() ? number : 0];
        }
        if (n == 0) continue;
        page.check(rows);
        const Span<const int64_t> starts = page.starts(), durations = page.durations();
        std::size_t window = 0;  // the first that ends after the slice's start
        for (const std::size_t k : Span<const std::size_t>(chosen).first(n)) {
            const int64_t start = starts[k], duration = durations[k];
            if (duration < filter.shortest || duration > filter.longest) continue;
            if (start < leaf.first && start < leaf.after) continue;
            while (window < filter.stops.size() && filter.stops[window] <= start) ++window;
            if (window == filter.stops.size()) break;
            const bool starts_in = filter.starts[window] <= start;
            if (starts_in || (filter.reaching && filter.starts[window] < start + duration)) {
                take(leaf, k, start, duration);
            }
        }
    }
}

}  // namespace

void HitRows::add(const HitFilter& filter, SearchPage& page, Span<const SearchedLeaf> leaves) {
    each_hit(filter, page, leaves, [&](const SearchedLeaf& leaf, std::size_t k, int64_t from, int64_t lasting) {
        tag.push_back(leaf.tag);
        ordinal.push_back(page.ordinals()[k]);
        start.push_back(from);
        duration.push_back(lasting);
        row.push_back(page.depths()[k]);
        name.push_back(page.names()[k]);
        flags.push_back(page.flags()[k]);
    });
}

HitBins::HitBins(int level, int64_t first_bin, std::size_t bins, std::size_t lanes, bool by_row)
    : level_(level), first_bin_(first_bin), bins_(bins), lanes_(lanes), by_row_(by_row) {
    if (level < 0 || level > 27 || first_bin < 0) throw std::invalid_argument("there are no such bins");
    count_.resize(bins * lanes);
    part_.resize(bins * lanes);
    whole_.resize(bins * lanes);
}

void HitBins::add(const HitFilter& filter, SearchPage& page, Span<const SearchedLeaf> leaves) {
    // Most hits lie within a bin, many after each other in the same one: of these only the sums are put there.
    std::size_t lane_now = 0;
    int64_t bin_start = 0, bin_end = 0, count = 0, busy = 0;
    const auto put_sums = [&] {
        if (count == 0) return;
        const auto bin = static_cast<std::size_t>((bin_start >> (2 * level_)) - first_bin_);
        const std::size_t index = lane_now * bins_ + bin;
        count_[index] += count;
        part_[index] = busy > kBusyAtMost - part_[index] ? kBusyAtMost : part_[index] + busy;
        count = busy = 0;
    };
    each_hit(filter, page, leaves, [&](const SearchedLeaf& leaf, std::size_t k, int64_t start, int64_t duration) {
        const int64_t end = start + duration;
        const int64_t signed_lane = by_row_ ? leaf.tag + page.depths()[k] : leaf.tag;
        const auto lane = static_cast<std::size_t>(signed_lane);
        if (lane == lane_now && start >= bin_start && start < bin_end && end <= bin_end) {
            ++count;
            busy = end - start > kBusyAtMost - busy ? kBusyAtMost : busy + (end - start);
            return;
        }
        if (leaf.tag < 0 || signed_lane < leaf.tag || lane >= lanes_)
            throw std::invalid_argument("a leaf is of no lane");
        put(lane, start, end);
        const int64_t bin = start >> (2 * level_);
        if (bin < first_bin_ || bin - first_bin_ >= static_cast<int64_t>(bins_)) return;
        put_sums();
        lane_now = lane;
        bin_start = bin << (2 * level_);
        bin_end = (bin + 1) << (2 * level_);
    });
    put_sums();
}

void HitBins::add(Span<const int64_t> lane, Span<const int64_t> start, Span<const int64_t> end) {
    const std::size_t n = same_size(lane, start, end);
    for (std::size_t k = 0; k < n; ++k) {
        if (lane[k] < 0 || static_cast<std::size_t>(lane[k]) >= lanes_ || start[k] < 0 || end[k] < start[k]) {
            throw std::invalid_argument("there is no such hit");
        }
        put(static_cast<std::size_t>(lane[k]), start[k], end[k]);
    }
}

void HitBins::add(const HitBins& other) {
    if (other.level_ != level_ || other.first_bin_ != first_bin_ || other.bins_ != bins_ || other.lanes_ != lanes_) {
        throw std::invalid_argument("these are other bins");
    }
    for (std::size_t index = 0; index < count_.size(); ++index) {
        count_[index] += other.count_[index];
        whole_[index] += other.whole_[index];
        const int64_t part = other.part_[index];
        part_[index] = part > kBusyAtMost - part_[index] ? kBusyAtMost : part_[index] + part;
    }
}

void HitBins::put(std::size_t lane, int64_t start, int64_t end) {
    const auto bins = static_cast<int64_t>(bins_);
    const auto index_of = [&](int64_t bin) { return lane * bins_ + static_cast<std::size_t>(bin); };
    const auto add = [](int64_t& sum, int64_t ticks) { sum = ticks > kBusyAtMost - sum ? kBusyAtMost : sum + ticks; };
    const int shift = 2 * level_;
    const int64_t first = (start >> shift) - first_bin_;
    if (first >= 0 && first < bins) ++count_[index_of(first)];
    if (end == start) return;
    const int64_t last = ((end - 1) >> shift) - first_bin_;
    if (last < 0 || first >= bins) return;
    if (first == last) return add(part_[index_of(first)], end - start);
    if (first >= 0) add(part_[index_of(first)], ((first + first_bin_ + 1) << shift) - start);
    if (last < bins) add(part_[index_of(last)], end - ((last + first_bin_) << shift));
    const int64_t from = std::max<int64_t>(first + 1, 0), to = std::min(last, bins);
    if (from >= to) return;
    ++whole_[index_of(from)];
    if (to < bins) --whole_[index_of(to)];
}

HitBins::Sums HitBins::sums() const {
    Sums sums;
    const int64_t width = int64_t{1} << (2 * level_);
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
        int64_t whole = 0;
        for (std::size_t bin = 0; bin < bins_; ++bin) {
            const std::size_t index = lane * bins_ + bin;
            whole += whole_[index];
            const int64_t left = kBusyAtMost - part_[index];
            const int64_t busy = whole > left / width ? kBusyAtMost : part_[index] + whole * width;
            if (count_[index] == 0 && busy == 0) continue;
            sums.lane.push_back(static_cast<int64_t>(lane));
            sums.bin.push_back(static_cast<int64_t>(bin));
            sums.count.push_back(count_[index]);
            sums.busy.push_back(busy);
        }
    }
    return sums;
}

}  // namespace tilescope
