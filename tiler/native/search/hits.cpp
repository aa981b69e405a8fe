#include "search/hits.hpp"

#include <algorithm>
#include <stdexcept>

namespace tilescope {

namespace {

constexpr int64_t kBusyAtMost = int64_t{1} << 62;

// Calls `take(leaf, row)` for every hit. Names are looked at first: where none fits, nothing else is decoded.
template <typename Take>
void each_hit(const HitFilter& filter, SearchPage& page, Span<const SearchedLeaf> leaves, Take take) {
    const std::vector<int64_t>& name = page.names();
    for (const SearchedLeaf& leaf : leaves) {
        const SearchPage::Rows rows = page.rows(leaf);
        std::size_t k = rows.first;
        while (k < rows.last && !filter.has(name[k])) ++k;
        if (k == rows.last) continue;
        page.check(rows);
        const std::vector<int64_t>& start = page.starts();
        const std::vector<int64_t>& duration = page.durations();
        std::size_t window = 0;  // the first that ends after the slice's start
        for (; k < rows.last; ++k) {
            if (!filter.has(name[k]) || duration[k] < filter.shortest || duration[k] > filter.longest) continue;
            if (start[k] < leaf.first && start[k] < leaf.after) continue;
            while (window < filter.stops.size() && filter.stops[window] <= start[k]) ++window;
            if (window == filter.stops.size()) break;
            const bool starts_in = filter.starts[window] <= start[k];
            if (starts_in || (filter.reaching && filter.starts[window] < start[k] + duration[k])) take(leaf, k);
        }
    }
}

}  // namespace

void HitRows::add(const HitFilter& filter, SearchPage& page, Span<const SearchedLeaf> leaves) {
    each_hit(filter, page, leaves, [&](const SearchedLeaf& leaf, std::size_t k) {
        tag.push_back(leaf.tag);
        ordinal.push_back(page.ordinals()[k]);
        start.push_back(page.starts()[k]);
        duration.push_back(page.durations()[k]);
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
    each_hit(filter, page, leaves, [&](const SearchedLeaf& leaf, std::size_t k) {
        const int64_t lane = by_row_ ? leaf.tag + page.depths()[k] : leaf.tag;
        if (leaf.tag < 0 || lane < leaf.tag || static_cast<std::size_t>(lane) >= lanes_) {
            throw std::invalid_argument("a leaf is of no lane");
        }
        const int64_t start = page.starts()[k];
        put(static_cast<std::size_t>(lane), start, start + page.durations()[k]);
    });
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
    for (std::size_t at = 0; at < count_.size(); ++at) {
        count_[at] += other.count_[at];
        whole_[at] += other.whole_[at];
        const int64_t part = other.part_[at];
        part_[at] = part > kBusyAtMost - part_[at] ? kBusyAtMost : part_[at] + part;
    }
}

void HitBins::put(std::size_t lane, int64_t start, int64_t end) {
    const auto bins = static_cast<int64_t>(bins_);
    const auto at = [&](int64_t bin) { return lane * bins_ + static_cast<std::size_t>(bin); };
    const auto add = [](int64_t& sum, int64_t ticks) { sum = ticks > kBusyAtMost - sum ? kBusyAtMost : sum + ticks; };
    const int shift = 2 * level_;
    const int64_t first = (start >> shift) - first_bin_;
    if (first >= 0 && first < bins) ++count_[at(first)];
    if (end == start) return;
    const int64_t last = ((end - 1) >> shift) - first_bin_;
    if (last < 0 || first >= bins) return;
    if (first == last) return add(part_[at(first)], end - start);
    if (first >= 0) add(part_[at(first)], ((first + first_bin_ + 1) << shift) - start);
    if (last < bins) add(part_[at(last)], end - ((last + first_bin_) << shift));
    const int64_t from = std::max<int64_t>(first + 1, 0), to = std::min(last, bins);
    if (from >= to) return;
    ++whole_[at(from)];
    if (to < bins) --whole_[at(to)];
}

HitBins::Sums HitBins::sums() const {
    Sums sums;
    const int64_t width = int64_t{1} << (2 * level_);
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
        int64_t whole = 0;
        for (std::size_t bin = 0; bin < bins_; ++bin) {
            const std::size_t at = lane * bins_ + bin;
            whole += whole_[at];
            const int64_t left = kBusyAtMost - part_[at];
            const int64_t busy = whole > left / width ? kBusyAtMost : part_[at] + whole * width;
            if (count_[at] == 0 && busy == 0) continue;
            sums.lane.push_back(static_cast<int64_t>(lane));
            sums.bin.push_back(static_cast<int64_t>(bin));
            sums.count.push_back(count_[at]);
            sums.busy.push_back(busy);
        }
    }
    return sums;
}

}  // namespace tilescope
