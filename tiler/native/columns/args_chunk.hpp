// Chunks of arguments as they are stored, before compression: tiler/details/chunk.py says what they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/byte_planes.hpp"
#include "base/bytes.hpp"
#include "base/span.hpp"

namespace tilescope {

// In which order the bytes of the arguments are, of those that are written here.
enum class ChunkOrder : std::uint8_t { columns = 1, thin = 2 };

// Writes numbers and columns one behind the other.
class ChunkWriter {
  public:
    // The number of bytes of the longest of some numbers, of which `all` has all bits.
    static unsigned bytes_of(std::uint64_t all);

    // Makes room for all of a chunk.
    explicit ChunkWriter(std::size_t size) { bytes_.reserve(size); }

    // The lowest byte first.
    void number(std::uint64_t value, unsigned bytes);

    // Writes all lowest bytes of a column, then all the next ones.
    template <typename T>
    void column(Span<const T> values, unsigned bytes) {
        write_planes(values, bytes, room(bytes * values.size()).data());
    }

    // Writes the number of events, the order, how many bytes a length has, and the lengths: where strings end that
    // begin at `start`.
    void head(ChunkOrder order, Span<const std::int64_t> ends, std::int64_t start);

    // Room for so many bytes more, until anything else is written.
    Span<char> room(std::size_t size);

    std::size_t size() const { return bytes_.size(); }
    std::vector<std::uint8_t> take() { return std::move(bytes_); }

  private:
    std::vector<std::uint8_t> bytes_;
};

// A chunk of strings by classes of equal length, column by column: string k is data[ends[k-1], ends[k]), with ends[-1] =
// `start`. Throws std::invalid_argument unless start <= ends[k-1] <= ends[k] <= size of the data.
std::vector<std::uint8_t> column_chunk(Span<const std::int64_t> ends, std::int64_t start, Bytes data);

}  // namespace tilescope
