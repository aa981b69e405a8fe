#include "pyramid/tie_order.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tilescope {

namespace {

// The most slices, and bytes of arguments, that move at once: they are copied, and so much is in the cache.
constexpr std::size_t max_together = 4096;
constexpr std::int64_t max_args_together = std::int64_t{1} << 20;

// So many groups are noted when they are found, which takes a megabyte; those behind them are looked for again.
constexpr std::size_t max_noted = std::size_t{1} << 16;

// Slices [first, stop), which start together.
struct Group {
    std::size_t first;
    std::size_t stop;
};

class Mover {
  public:
    explicit Mover(const SliceRows& rows) : rows_(rows) {}

    void bring_in_order(Group group) {
        const std::size_t n = group.stop - group.first;
        const auto duration = rows_.duration.subspan(group.first, n);
        if (n == 2) return exchange(group.first);
        order_.resize(n);
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::stable_sort(order_.begin(), order_.end(),
                         [&](std::size_t a, std::size_t b) { return duration[a] > duration[b]; });
        move_args(group);
        move(duration, durations_);
        move(rows_.name.subspan(group.first, n), names_);
        move(rows_.flags.subspan(group.first, n), flags_);
        if (!rows_.source.empty()) move(rows_.source.subspan(group.first, n), sources_);
    }

  private:
    // A slice and the one behind it: so it is with nearly all that are not in order.
    void exchange(std::size_t k) {
        std::swap(rows_.duration[k], rows_.duration[k + 1]);
        std::swap(rows_.name[k], rows_.name[k + 1]);
        std::swap(rows_.flags[k], rows_.flags[k + 1]);
        if (!rows_.source.empty()) std::swap(rows_.source[k], rows_.source[k + 1]);
        const std::int64_t begin = k == 0 ? 0 : rows_.args_end[k - 1];
        const std::int64_t middle = rows_.args_end[k];
        const std::int64_t end = rows_.args_end[k + 1];
        std::rotate(rows_.args.data() + begin, rows_.args.data() + middle, rows_.args.data() + end);
        rows_.args_end[k] = begin + (end - middle);
    }

    template <typename T>
    void move(Span<T> values, std::vector<T>& before) {
        before.assign(values.begin(), values.end());
        for (std::size_t k = 0; k < order_.size(); ++k) values[k] = before[order_[k]];
    }

    void move_args(Group group) {
        const auto args_begin = static_cast<std::size_t>(group.first == 0 ? 0 : rows_.args_end[group.first - 1]);
        const auto ends = rows_.args_end.subspan(group.first, group.stop - group.first);
        const auto args = rows_.args.subspan(args_begin, static_cast<std::size_t>(ends.back()) - args_begin);
        ends_.assign(ends.begin(), ends.end());
        args_.assign(args.begin(), args.end());
        std::size_t written = 0;
        for (std::size_t k = 0; k < order_.size(); ++k) {
            const std::size_t from = order_[k];
            const std::size_t begin = from == 0 ? 0 : static_cast<std::size_t>(ends_[from - 1]) - args_begin;
            const std::size_t end = static_cast<std::size_t>(ends_[from]) - args_begin;
            std::copy(args_.data() + begin, args_.data() + end, args.data() + written);
            written += end - begin;
            ends[k] = static_cast<std::int64_t>(args_begin + written);
        }
    }

    const SliceRows& rows_;
    std::vector<std::size_t> order_;
    std::vector<std::int64_t> durations_;
    std::vector<std::int32_t> names_;
    std::vector<std::uint8_t> flags_;
    std::vector<std::int64_t> sources_;
    std::vector<std::int64_t> ends_;
    std::vector<std::uint8_t> args_;
};

// Calls `on_group` with each group that is not in order, from slice `from` on, as long as it returns true. False when it did
// not, or starts decrease.
template <typename OnGroup>
bool each_group(const SliceRows& rows, std::size_t from, OnGroup&& on_group) {
    const std::size_t n = rows.start.size();
    for (std::size_t k = from + 1; k < n; ++k) {
        if (rows.start[k] > rows.start[k - 1]) continue;
        if (rows.start[k] < rows.start[k - 1]) return false;
        Group group{k - 1, k};
        bool in_order = true;
        for (; group.stop < n && rows.start[group.stop] == rows.start[group.first]; ++group.stop)
            in_order = in_order && rows.duration[group.stop] <= rows.duration[group.stop - 1];
        k = group.stop - 1;
        if (!in_order && !on_group(group)) return false;
    }
    return true;
}

}  // namespace

bool order_ties(const SliceRows& rows) {
    const std::size_t n = same_size(rows.start, rows.duration, rows.name, rows.flags, rows.args_end);
    if (!rows.source.empty()) same_size(rows.start, rows.source);
    if (n == 0) return true;
    std::vector<Group> first_groups;
    const bool few = each_group(rows, 0, [&](Group group) {
        std::int64_t before = group.first == 0 ? 0 : rows.args_end[group.first - 1];
        const std::int64_t first = before;
        for (std::size_t k = group.first; k < group.stop; ++k) {
            if (rows.args_end[k] < before) throw std::invalid_argument("ends of arguments decrease");
            before = rows.args_end[k];
        }
        if (first < 0 || static_cast<std::uint64_t>(before) > rows.args.size())
            throw std::invalid_argument("arguments end beyond what there is");
        if (first_groups.size() < max_noted) first_groups.push_back(group);
        return group.stop - group.first <= max_together && before - first <= max_args_together;
    });
    if (!few) return false;
    Mover mover(rows);
    for (const Group group : first_groups) mover.bring_in_order(group);
    if (first_groups.size() < max_noted) return true;
    each_group(rows, first_groups.back().stop, [&](Group group) {
        mover.bring_in_order(group);
        return true;
    });
    return true;
}

}  // namespace tilescope
