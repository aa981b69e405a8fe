#include "search/call_sweep.hpp"

#include <algorithm>

namespace tilescope {

void CallSweep::add(SearchPage& page, Span<const SearchedLeaf> leaves) {
    for (const SearchedLeaf& leaf : leaves) {
        const SearchPage::Rows rows = page.rows(leaf);
        if (rows.first == rows.last) continue;
        page.check(rows);
        const Span<const int64_t> starts = page.starts();
        for (std::size_t k = rows.first; k < rows.last; ++k) {
            // What reaches in was taken with the leaf before if it reaches through that, too.
            if (starts[k] >= leaf.first || starts[k] >= leaf.after) add_slice(page, k);
        }
    }
}

void CallSweep::add_slice(SearchPage& page, std::size_t k) {
    const int64_t start = page.starts()[k], duration = page.durations()[k];
    const int64_t depth = page.depths()[k], name = page.names()[k];
    // The slices in the rows above it came before.
    if (depth < 0 || depth > page.ordinals()[k] || name < -1 || name > INT32_MAX) {
        throw DamagedContainer("a slice of a page has no such row or name");
    }
    if (depth >= kMostRows) throw TooManyNodes("slices lie in too many others");
    const auto row = static_cast<std::size_t>(depth);
    advance(start);
    if (row >= rows_.size()) rows_.resize(row + 1);
    const Parent parent = parent_of(page, k, start, row);
    CallNodes& nodes = this->nodes(parent.is_below_place);
    if (rows_[row].is_listed) take_from_list(row);
    Row& slice = rows_[row];
    slice.end = start + duration;
    slice.is_left_out = !piece_.left_out.empty() &&
                        std::binary_search(piece_.left_out.begin(), piece_.left_out.end(), page.ordinals()[k]);
    // What lies in a slice that is left out lies where that does.
    slice.node = slice.is_left_out ? parent.node : nodes.child(parent.node, static_cast<int32_t>(name));
    slice.is_below_place = parent.is_below_place;
    if (duration > 0) put_last(row);
    if (slice.is_left_out || start < piece_.first || !starts_in_window(start)) return;
    nodes.add_call(slice.node, {piece_.track, page.ordinals()[k], duration});
}

CallSweep::Parent CallSweep::parent_of(SearchPage& page, std::size_t k, int64_t start, std::size_t row) {
    if (row == 0) return {piece_.root, false};
    const Row& above = rows_[row - 1];
    if (above.end > start) return {above.node, above.is_below_place};
    return {tree_.open_place(piece_.track, page.ordinals()[k], start, static_cast<int64_t>(row)), true};
}

// Up to a tick, each belongs to the slice that started last of those that run.
void CallSweep::advance(int64_t tick) {
    while (last_ != kNoRow) {
        const auto row = static_cast<std::size_t>(last_);
        const int64_t until = std::min(rows_[row].end, tick);
        if (until > now_) {
            give(rows_[row], now_, until);
            now_ = until;
        }
        if (rows_[row].end > tick) return;
        take_from_list(row);
    }
    now_ = std::max(now_, tick);
}

void CallSweep::give(const Row& row, int64_t from, int64_t to) {
    from = std::max(from, piece_.first);
    to = std::min(to, piece_.stop);
    if (row.is_left_out || from >= to) return;
    const std::size_t windows = piece_.stops.size();
    while (given_window_ < windows && piece_.stops[given_window_] <= from) ++given_window_;
    int64_t ticks = 0;
    for (std::size_t w = given_window_; w < windows && piece_.starts[w] < to; ++w) {
        ticks += std::min(to, piece_.stops[w]) - std::max(from, piece_.starts[w]);
    }
    if (ticks > 0) nodes(row.is_below_place).add_self(row.node, ticks);
}

bool CallSweep::starts_in_window(int64_t start) {
    const std::size_t windows = piece_.stops.size();
    while (start_window_ < windows && piece_.stops[start_window_] <= start) ++start_window_;
    return start_window_ < windows && piece_.starts[start_window_] <= start;
}

void CallSweep::take_from_list(std::size_t row) {
    Row& slice = rows_[row];
    if (slice.earlier != kNoRow) rows_[static_cast<std::size_t>(slice.earlier)].later = slice.later;
    if (slice.later != kNoRow) rows_[static_cast<std::size_t>(slice.later)].earlier = slice.earlier;
    if (last_ == static_cast<int32_t>(row)) last_ = slice.earlier;
    slice.is_listed = false;
}

void CallSweep::put_last(std::size_t row) {
    Row& slice = rows_[row];
    slice.earlier = last_;
    slice.later = kNoRow;
    slice.is_listed = true;
    if (last_ != kNoRow) rows_[static_cast<std::size_t>(last_)].later = static_cast<int32_t>(row);
    last_ = static_cast<int32_t>(row);
}

}  // namespace tilescope
