#include "columns/kind_sums.hpp"

#include <algorithm>
#include <stdexcept>

namespace tilescope {

namespace {

// The place of a kind among so many.
std::size_t place_of(std::int64_t kind, std::size_t kinds) {
    if (kind < 0 || static_cast<std::uint64_t>(kind) >= kinds) throw std::invalid_argument("a kind that there is not");
    return static_cast<std::size_t>(kind);
}

// The shorter of two durations, of which -1 is none.
std::int64_t shorter(std::int64_t a, std::int64_t b) {
    if (a < 0 || b < 0) return std::max(a, b);
    return std::min(a, b);
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

KindSums::KindSums(std::size_t kinds, std::size_t of_numbers)
    : count(kinds),
      empty(kinds),
      occurrences(kinds),
      longest(kinds, -1),
      longest_at(kinds, -1),
      shortest_lasting(kinds, -1),
      total(kinds),
      inner(kinds),
      numbers(of_numbers, WideSums(0)) {}

void KindSums::add(Span<const std::int64_t> kind, Span<const std::int64_t> parent, Span<const std::int64_t> duration,
                   Span<const std::int64_t> part, Span<const std::uint8_t> starts, Span<const std::uint8_t> begins,
                   std::int64_t first) {
    const std::size_t size = kind.size();
    if (parent.size() != size || duration.size() != size || part.size() != size || starts.size() != size ||
        begins.size() != size)
        throw std::invalid_argument("columns of different lengths");
    for (std::size_t k = 0; k < size; ++k) {
        const std::size_t place = place_of(kind[k], count.size());
        if (part[k] < 0 || duration[k] < 0) throw std::invalid_argument("a time below 0");
        total.add(place, part[k]);
        if (parent[k] >= 0) inner.add(place_of(parent[k], count.size()), part[k]);
        if (begins[k] != 0) ++occurrences[place];
        if (starts[k] != 0) count_one(place, duration[k], first + static_cast<std::int64_t>(k));
    }
}

void KindSums::add_whole(Span<const std::int64_t> kind, Span<const std::int64_t> parent,
                         Span<const std::int64_t> duration, std::int64_t first) {
    const std::size_t size = kind.size();
    if (parent.size() != size || duration.size() != size) throw std::invalid_argument("columns of different lengths");
    for (std::size_t k = 0; k < size; ++k) {
        const std::size_t place = place_of(kind[k], count.size());
        if (duration[k] < 0) throw std::invalid_argument("a time below 0");
        total.add(place, duration[k]);
        if (parent[k] >= 0) inner.add(place_of(parent[k], count.size()), duration[k]);
        count_one(place, duration[k], first + static_cast<std::int64_t>(k));
    }
}

void KindSums::count_one(std::size_t place, std::int64_t duration, std::int64_t ordinal) {
    ++count[place];
    if (duration > longest[place]) {
        longest[place] = duration;
        longest_at[place] = ordinal;
    }
    if (duration == 0) ++empty[place];
    else shortest_lasting[place] = shorter(shortest_lasting[place], duration);
}

void KindSums::grow(std::size_t kinds) {
    if (kinds <= count.size()) return;
    for (auto* column : {&count, &empty, &occurrences}) column->resize(kinds);
    for (auto* column : {&longest, &longest_at, &shortest_lasting}) column->resize(kinds, -1);
    total.grow(kinds);
    inner.grow(kinds);
    for (WideSums& number : numbers)
        if (!number.empty()) number.grow(kinds);
}

void KindSums::add_number(std::size_t number, Span<const std::int64_t> kind, Span<const std::int64_t> value,
                          Span<const std::uint8_t> starts) {
    if (number >= numbers.size() || value.size() != kind.size() || starts.size() != kind.size())
        throw std::invalid_argument("columns of different lengths");
    numbers[number].grow(count.size());
    for (std::size_t k = 0; k < kind.size(); ++k)
        if (value[k] >= 0 && starts[k] != 0) numbers[number].add(place_of(kind[k], count.size()), value[k]);
}

void KindSums::merge(const KindSums& other) {
    if (other.count.size() != count.size() || other.numbers.size() != numbers.size())
        throw std::invalid_argument("sums of other kinds");
    for (std::size_t place = 0; place < count.size(); ++place) {
        count[place] += other.count[place];
        empty[place] += other.empty[place];
        occurrences[place] += other.occurrences[place];
        shortest_lasting[place] = shorter(shortest_lasting[place], other.shortest_lasting[place]);
        const bool is_longer = other.longest[place] > longest[place];
        const bool is_earlier = other.longest[place] == longest[place] && other.longest_at[place] < longest_at[place];
        if (!is_longer && !is_earlier) continue;
        longest[place] = other.longest[place];
        longest_at[place] = other.longest_at[place];
    }
    total.merge(other.total);
    inner.merge(other.inner);
    for (std::size_t number = 0; number < numbers.size(); ++number) {
        if (other.numbers[number].empty()) continue;
        numbers[number].grow(count.size());
        numbers[number].merge(other.numbers[number]);
    }
}

}  // namespace tilescope
