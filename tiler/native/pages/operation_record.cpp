#include "pages/operation_record.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "pages/container_reader.hpp"

namespace tilescope {

namespace {

constexpr std::size_t kMaxValues = std::size_t{1} << 21;  // of all columns: a record has 16,384 operations
constexpr std::uint8_t kKind = 208, kParent = 209, kDuration = 210, kNumbered = 216;  // 216: operation_told
constexpr std::size_t kVersionAt = 4, kBlockAt = 12;

[[noreturn]] void damaged() { throw DamagedContainer("a record of operations makes no sense"); }

void read_column(const ContainerReader& record, std::uint8_t id, std::size_t n, std::vector<std::int64_t>& into) {
    const ContainerReader::Column* column = record.find(id);
    if (column == nullptr || column->n != n || column->is_float()) damaged();
    into.resize(n);
    ContainerReader::decode(*column, 0, into);
}

std::uint32_t number_at(Bytes bytes, std::size_t offset) {
    std::uint32_t number = 0;
    for (std::size_t k = 0; k < sizeof number; ++k) number |= static_cast<std::uint32_t>(bytes[offset + k]) << (8 * k);
    return number;
}

// True if all values are from `least` on, and below `most`. One that is not shows in the result of all comparisons.
bool are_within(Span<const std::int64_t> values, std::int64_t least, std::int64_t most) {
    bool within = true;
    for (const std::int64_t value : values)
        within = static_cast<int>(within) & static_cast<int>(value >= least && value < most);
    return within;
}

}  // namespace

void OperationRecord::read(Bytes container, const WantedOperations& wanted, Span<const std::uint8_t> numbers,
                           bool with_times) {
    const ContainerReader record(container, kMaxValues);
    const std::size_t count = record.tiles();
    if (std::memcmp(container.data(), "TSOP", kVersionAt) != 0 || container[kVersionAt] != 1 ||
        number_at(container, kBlockAt) != wanted.track || count == 0 || count > wanted.most)
        damaged();
    read_column(record, kKind, count, kind_);
    parent_.clear();
    duration_.clear();
    if (with_times) {
        read_column(record, kParent, count, parent_);
        read_column(record, kDuration, count, duration_);
    }
    const auto kinds = static_cast<std::int64_t>(wanted.kinds);
    if (!are_within(kind_, 0, kinds) || !are_within(parent_, -1, kinds)) damaged();
    constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
    if (!are_within(duration_, 0, longest)) damaged();
    const ContainerReader::Column* numbered = record.find(kNumbered);
    numbered_operations_.clear();
    numbers_.resize(numbers.size());
    const std::size_t n = numbered == nullptr ? 0 : numbered->n;
    if (n != 0) read_column(record, kNumbered, n, numbered_operations_);
    for (std::size_t k = 0; k < n; ++k) {
        if (numbered_operations_[k] < (k == 0 ? 0 : numbered_operations_[k - 1] + 1) ||
            numbered_operations_[k] >= static_cast<std::int64_t>(count))
            damaged();
    }
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        numbers_[k].clear();
        if (record.find(numbers[k]) != nullptr) read_column(record, numbers[k], n, numbers_[k]);
    }
}

}  // namespace tilescope
