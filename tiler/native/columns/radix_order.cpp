#include "columns/radix_order.hpp"

#include <algorithm>
#include <array>

namespace tilescope {

namespace {

constexpr unsigned digit_bits = 11;  // 2,048 counters stay in the first-level cache
constexpr std::size_t digits = std::size_t{1} << digit_bits;
constexpr std::size_t small = 512;  // below, filling the counters costs more than comparing

struct Item {
    std::uint64_t value;
    std::int64_t row;
};

}  // namespace

void stable_order_by(Span<const std::int64_t> values, std::vector<std::int64_t>& order) {
    const std::size_t n = order.size();
    if (n < small) {
        std::stable_sort(order.begin(), order.end(), [values](std::int64_t a, std::int64_t b) {
            return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
        });
        return;
    }
    std::vector<Item> items(n);
    std::vector<Item> sorted(n);
    std::uint64_t varying = 0;
    // Flipping the sign bit makes unsigned order the order of signed values.
    const auto unsigned_value = [values](std::int64_t row) {
        return static_cast<std::uint64_t>(values[static_cast<std::size_t>(row)]) ^ (std::uint64_t{1} << 63);
    };
    const std::uint64_t first = unsigned_value(order[0]);
    for (std::size_t k = 0; k < n; ++k) {
        items[k] = {unsigned_value(order[k]), order[k]};
        varying |= items[k].value ^ first;
    }
    for (unsigned shift = 0; shift < 64; shift += digit_bits) {
        if (((varying >> shift) & (digits - 1)) == 0) continue;
        std::array<std::size_t, digits> next{};
        for (const Item& item : items) ++next[(item.value >> shift) & (digits - 1)];
        std::size_t sum = 0;
        for (std::size_t& slot : next) {
            const std::size_t count = slot;
            slot = sum;
            sum += count;
        }
        for (const Item& item : items) sorted[next[(item.value >> shift) & (digits - 1)]++] = item;
        items.swap(sorted);
    }
    for (std::size_t k = 0; k < n; ++k) order[k] = items[k].row;
}

}  // namespace tilescope
