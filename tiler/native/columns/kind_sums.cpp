#include "columns/kind_sums.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

namespace tilescope {

namespace {

// The place of a kind among so many.
std::size_t place_of(std::int64_t kind, std::size_t kinds) {
    if (kind < 0 || static_cast<std::uint64_t>(kind) >= kinds) throw std::invalid_argument("a kind that there is not");
    return static_cast<std::size_t>(kind);
}

}  // namespace

void WideSums::merge(const WideSums& other) {
    for (std::size_t place = 0; place < low_.size(); ++place) {
        low_[place] += other.low_[place];
        high_[place] += other.high_[place] + (low_[place] < other.low_[place] ? 1 : 0);
    }
}

void WideSums::grow(std::size_t count) {
    low_.resize(std::max(count, low_.size()));
    high_.resize(std::max(count, high_.size()));
}

KindSums::KindSums(std::size_t kinds, std::size_t of_numbers) : numbers(of_numbers, WideSums(0)), rows_(kinds) {}

KindSums::Row& KindSums::row_of(std::int64_t kind) { return rows_[place_of(kind, rows_.size())]; }

void KindSums::add(Span<const std::int64_t> kind, Span<const std::int64_t> parent, Span<const std::int64_t> duration,
                   Span<const std::int64_t> part, Span<const std::uint8_t> starts, Span<const std::uint8_t> begins,
                   std::int64_t first) {
    const std::size_t size = kind.size();
    if (parent.size() != size || duration.size() != size || part.size() != size || starts.size() != size ||
        begins.size() != size)
        throw std::invalid_argument("columns of different lengths");
    for (std::size_t k = 0; k < size; ++k) {
        Row& row = row_of(kind[k]);
        if (part[k] < 0 || duration[k] < 0) throw std::invalid_argument("a time below 0");
        const auto taken = static_cast<std::uint64_t>(part[k]);
        add_to(row.total_low, row.total_high, taken);
        if (parent[k] >= 0) {
            Row& outer = row_of(parent[k]);
            add_to(outer.inner_low, outer.inner_high, taken);
        }
        if (begins[k] != 0) ++row.occurrences;
        if (starts[k] != 0) count_one(row, duration[k], first + static_cast<std::int64_t>(k));
    }
}

void KindSums::add_whole(Span<const std::int64_t> kind, Span<const std::int64_t> parent,
                         Span<const std::int64_t> duration, std::int64_t first) {
    const std::size_t size = kind.size();
    if (parent.size() != size || duration.size() != size) throw std::invalid_argument("columns of different lengths");
    for (std::size_t k = 0; k < size; ++k) {
        Row& row = row_of(kind[k]);
        if (duration[k] < 0) throw std::invalid_argument("a time below 0");
        const auto taken = static_cast<std::uint64_t>(duration[k]);
        add_to(row.total_low, row.total_high, taken);
        if (parent[k] >= 0) {
            Row& outer = row_of(parent[k]);
            add_to(outer.inner_low, outer.inner_high, taken);
        }
        count_one(row, duration[k], first + static_cast<std::int64_t>(k));
    }
}

void KindSums::count_one(Row& row, std::int64_t duration, std::int64_t ordinal) {
    ++row.count;
    if (duration > row.longest) {
        row.longest = duration;
        row.longest_at = ordinal;
    }
    if (duration == 0) ++row.empty;
    else row.shortest_lasting = std::min(row.shortest_lasting, static_cast<std::uint64_t>(duration));
}

void KindSums::grow(std::size_t kinds) {
    if (kinds <= rows_.size()) return;
    rows_.resize(kinds);
    for (WideSums& number : numbers)
        if (!number.empty()) number.grow(kinds);
}

void KindSums::add_number(std::size_t number, Span<const std::int64_t> kind, Span<const std::int64_t> value,
                          Span<const std::uint8_t> starts) {
    if (number >= numbers.size() || value.size() != kind.size() || starts.size() != kind.size())
        throw std::invalid_argument("columns of different lengths");
    numbers[number].grow(rows_.size());
    for (std::size_t k = 0; k < kind.size(); ++k)
        if (value[k] >= 0 && starts[k] != 0) numbers[number].add(place_of(kind[k], rows_.size()), value[k]);
}

void KindSums::merge(const KindSums& other) {
    if (other.rows_.size() != rows_.size() || other.numbers.size() != numbers.size())
        throw std::invalid_argument("sums of other kinds");
    for (std::size_t place = 0; place < rows_.size(); ++place) {
        Row& row = rows_[place];
        const Row& more = other.rows_[place];
        row.count += more.count;
        row.empty += more.empty;
        row.occurrences += more.occurrences;
        row.shortest_lasting = std::min(row.shortest_lasting, more.shortest_lasting);
        add_to(row.total_low, row.total_high, more.total_low);
        add_to(row.inner_low, row.inner_high, more.inner_low);
        row.total_high += more.total_high;
        row.inner_high += more.inner_high;
        const bool is_longer = more.longest > row.longest;
        const bool is_earlier = more.longest == row.longest && more.longest_at < row.longest_at;
        if (!is_longer && !is_earlier) continue;
        row.longest = more.longest;
        row.longest_at = more.longest_at;
    }
    for (std::size_t number = 0; number < numbers.size(); ++number) {
        if (other.numbers[number].empty()) continue;
        numbers[number].grow(rows_.size());
        numbers[number].merge(other.numbers[number]);
    }
}

KindSums::Columns KindSums::columns() const {
    const auto column = [this](auto value_of) {
        std::vector<std::decay_t<decltype(value_of(rows_[0]))>> values;
        values.reserve(rows_.size());
        for (const Row& row : rows_) values.push_back(value_of(row));
        return values;
    };
    Columns out;
    out.count = column([](const Row& row) { return row.count; });
    out.empty = column([](const Row& row) { return row.empty; });
    out.occurrences = column([](const Row& row) { return row.occurrences; });
    out.longest = column([](const Row& row) { return row.longest; });
    out.longest_at = column([](const Row& row) { return row.longest_at; });
    out.shortest_lasting = column([](const Row& row) { return static_cast<std::int64_t>(row.shortest_lasting); });
    out.total.low_ = column([](const Row& row) { return row.total_low; });
    out.total.high_ = column([](const Row& row) { return row.total_high; });
    out.inner.low_ = column([](const Row& row) { return row.inner_low; });
    out.inner.high_ = column([](const Row& row) { return row.inner_high; });
    return out;
}

void count_kinds(Span<const std::int64_t> kind, Span<std::int64_t> counts) {
    for (const std::int64_t kind_of_event : kind) ++counts[place_of(kind_of_event, counts.size())];
}

}  // namespace tilescope
