// Sums of operations by kind: how many there are, how long they take, and numbers that they have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Sums of numbers that are not negative, of any size.
class WideSums {
  public:
    explicit WideSums(std::size_t count = 0) : low_(count), high_(count) {}

    void add(std::size_t place, std::int64_t value) {
        const auto part = static_cast<std::uint64_t>(value);
        low_[place] += part;
        high_[place] += low_[place] < part ? 1 : 0;
    }

    void merge(const WideSums& other);
    void grow(std::size_t count);
    bool empty() const { return low_.empty(); }

    std::vector<std::uint64_t> low_, high_;
};

class KindSums {
  public:
    KindSums(std::size_t kinds, std::size_t numbers);

    // Operations from event `first` on: of each its kind, that of its parent, -1 none, its duration, what of it lies in the
    // windows, whether it starts there, and whether an occurrence begins with it. Throws std::invalid_argument for kinds
    // that there are not, and for times below 0.
    void add(Span<const std::int64_t> kind, Span<const std::int64_t> parent, Span<const std::int64_t> duration,
             Span<const std::int64_t> part, Span<const std::uint8_t> starts, Span<const std::uint8_t> begins,
             std::int64_t first);

    // Operations that lie in the windows as a whole, of however many kinds. An occurrence begins with none of them.
    void add_whole(Span<const std::int64_t> kind, Span<const std::int64_t> parent, Span<const std::int64_t> duration,
                   std::int64_t first);

    // Makes room for more kinds.
    void grow(std::size_t kinds);

    // A number of those operations, below 0 where they have none.
    void add_number(std::size_t number, Span<const std::int64_t> kind, Span<const std::int64_t> value,
                    Span<const std::uint8_t> starts);

    void merge(const KindSums& other);

    std::size_t kinds() const { return rows_.size(); }

    // Columns of the operations that start in the windows: how many, how many take no time, and occurrences that begin.
    struct Columns {
        std::vector<std::int64_t> count, empty, occurrences;
        std::vector<std::int64_t> longest, longest_at,
            shortest_lasting;  // -1: none; the first event that takes longest
        WideSums total, inner;
    };
    Columns columns() const;
    std::vector<WideSums> numbers;  // empty where no operation has one

  private:
    // Side by side, as all of a kind is looked at together.
    struct Row {
        std::int64_t count = 0, empty = 0, occurrences = 0;
        std::int64_t longest = -1, longest_at = -1;
        std::uint64_t shortest_lasting = kNone;
        std::uint64_t total_low = 0, total_high = 0, inner_low = 0, inner_high = 0;
    };
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};  // longer than all durations, and -1 where it is told

    static void add_to(std::uint64_t& low, std::uint64_t& high, std::uint64_t value) {
        low += value;
        high += low < value ? 1 : 0;
    }
    Row& row_of(std::int64_t kind);
    static void count_one(Row& row, std::int64_t duration, std::int64_t ordinal);

    std::vector<Row> rows_;
};

// Adds how often each kind occurs to its count. Throws std::invalid_argument for kinds that there are not.
void count_kinds(Span<const std::int64_t> kind, Span<std::int64_t> counts);

}  // namespace tilescope
