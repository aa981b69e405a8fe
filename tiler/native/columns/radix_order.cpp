#include "columns/radix_order.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tilescope {

namespace {

constexpr unsigned digit_bits = 11;  // 2,048 counters stay in the first-level cache
constexpr std::size_t digits = std::size_t{1} << digit_bits;
constexpr std::size_t small = 512;  // below, filling the counters costs more than comparing

struct Item {
    std::uint64_t value;
    std::int64_t row;
};

// As they lie in the working space.
class Items {
  public:
    explicit Items(Span<std::int64_t> space) : space_(space) {}
    Item at(std::size_t k) const {
        Item item{};
        std::memcpy(&item, &space_[2 * k], sizeof item);
        return item;
    }
    void set(std::size_t k, Item item) { std::memcpy(&space_[2 * k], &item, sizeof item); }

  private:
    Span<std::int64_t> space_;
};

}  // namespace

void stable_order_by(Span<const std::int64_t> values, std::vector<std::int64_t>& order) {
    std::vector<std::int64_t> space(order.size() < small ? 0 : kOrderSpace * order.size());
    stable_order_by(values, order, space);
}

void stable_order_by(Span<const std::int64_t> values, Span<std::int64_t> order, Span<std::int64_t> space) {
    const std::size_t n = order.size();
    const auto value_of = [values](std::int64_t row) { return values[static_cast<std::size_t>(row)]; };
    if (n < small) {
        std::stable_sort(order.begin(), order.end(),
                         [&](std::int64_t a, std::int64_t b) { return value_of(a) < value_of(b); });
        return;
    }
    Items items(space.first(2 * n));
    Items sorted(space.subspan(2 * n, 2 * n));
    std::uint64_t varying = 0;
    // Flipping the sign bit makes unsigned order the order of signed values.
    const auto unsigned_value = [&](std::int64_t row) {
        return static_cast<std::uint64_t>(value_of(row)) ^ (std::uint64_t{1} << 63);
    };
    const std::uint64_t first = unsigned_value(order[0]);
    for (std::size_t k = 0; k < n; ++k) {
        const std::uint64_t value = unsigned_value(order[k]);
        items.set(k, {value, order[k]});
        varying |= value ^ first;
    }
    for (unsigned shift = 0; shift < 64; shift += digit_bits) {
        if (((varying >> shift) & (digits - 1)) == 0) continue;
        const auto digit = [shift](Item item) { return (item.value >> shift) & (digits - 1); };
        std::array<std::size_t, digits> next{};
        for (std::size_t k = 0; k < n; ++k) ++next[digit(items.at(k))];
        std::size_t sum = 0;
        for (std::size_t& slot : next) {
            const std::size_t count = slot;
            slot = sum;
            sum += count;
        }
        for (std::size_t k = 0; k < n; ++k) {
            const Item item = items.at(k);
            sorted.set(next[digit(item)]++, item);
        }
        std::swap(items, sorted);
    }
    for (std::size_t k = 0; k < n; ++k) order[k] = items.at(k).row;
}

}  // namespace tilescope
