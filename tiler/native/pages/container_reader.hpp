// Reads the column container of docs/page-format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/bytes.hpp"
#include "base/span.hpp"

namespace tilescope {

// Bytes that are no container.
class DamagedContainer : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A container whose bytes stay the caller's, and outlive it.
class ContainerReader {
  public:
    // Bounds of all columns are checked here. Throws DamagedContainer, also when columns have more than `max_rows` values.
    ContainerReader(Bytes bytes, std::size_t max_rows);

    struct Column {
        uint8_t id = 0;
        uint8_t planes = 0;
        uint8_t flags = 0;
        std::size_t n = 0;
        uint64_t base = 0;
        uint64_t scale = 1;
        Bytes values;  // planes * n

        bool is_float() const;
    };

    std::size_t tiles() const { return tiles_; }
    const std::vector<Column>& columns() const { return columns_; }
    // The column of that id, or null.
    const Column* find(uint8_t id) const;
    // The same, which must have that many values; null stands for none. Throws DamagedContainer.
    const Column* find(uint8_t id, std::size_t n) const;

    // All values of the column of that id, which there must be `n` of; it need not be there when there are none. Throws
    // DamagedContainer.
    std::vector<int64_t> values(uint8_t id, std::size_t n) const;

    // All values of a column; doubles as their bits.
    static std::vector<int64_t> decode(const Column& column);
    // Decodes the values from `first` on, as many as `out` has room for. Of a column of differences all before them are
    // read, too. Throws std::out_of_range for values that are not there.
    static void decode(const Column& column, std::size_t first, Span<int64_t> out);

    // A place in a column of differences, and the sum of those before it.
    struct Place {
        std::size_t value = 0;
        uint64_t sum = 0;
    };
    // The same; what lies before `place` is not read again. It is at the first of the values then.
    static void decode(const Column& column, std::size_t first, Span<int64_t> out, Place& place);

  private:
    std::size_t tiles_ = 0;
    std::vector<Column> columns_;
};

}  // namespace tilescope
