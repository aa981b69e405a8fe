// Reads records of the operations of a device's track, as docs/page-format.md has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/span.hpp"

namespace tilescope {

// The record that is read: of a track that has so many kinds, and at most so many operations.
struct WantedOperations {
    std::uint32_t track = 0;
    std::size_t kinds = 0;
    std::size_t most = 0;
};

// The operations of one record after the other, in the same room.
class OperationRecord {
  public:
    // Takes the place of the record before. Of numbers only those of some columns are read, and what operations lie in and
    // how long they take only `with_times`. Throws DamagedContainer for what makes no sense: kinds that there are not, times
    // below 0, columns of different lengths.
    void read(Bytes container, const WantedOperations& wanted, Span<const std::uint8_t> numbers,
              bool with_times = true);

    std::size_t size() const { return kind_.size(); }
    Span<const std::int64_t> kind() const { return kind_; }
    Span<const std::int64_t> parent() const { return parent_; }  // -1 none
    Span<const std::int64_t> duration() const { return duration_; }
    // The operations that have any number, by place, which ascend; and one of those that are read, empty where none has it.
    Span<const std::int64_t> numbered_operations() const { return numbered_operations_; }
    Span<const std::int64_t> numbers(std::size_t column = 0) const { return numbers_[column]; }

  private:
    std::vector<std::int64_t> kind_, parent_, duration_, numbered_operations_;
    std::vector<std::vector<std::int64_t>> numbers_;
};

}  // namespace tilescope
