// A chunk of texts as it is stored: without the shapes that only other chunks need.
//
// How many shapes as a varint, each as a varint, its size, and its bytes with a zero byte for each number. Then text after text:
// a varint, the number of its shape, counted from 1 in this chunk, and a varint for each number of it: what it is more
// than the number at this place in the text of that shape before (0 at first), modulo 2**64, as 2d for d >= 0 and as -2d-1
// below. 0 in the place of a shape: a varint, the size of the text, and the text as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "columns/column.hpp"
#include "columns/packed_texts.hpp"

namespace tilescope {

struct TextChunk {
    std::vector<std::uint32_t> counts;  // of each row, how many texts it has: they stand one behind the other
    std::string bytes;
};

// Writes chunk after chunk of rows of packed texts.
class TextChunks {
  public:
    explicit TextChunks(const PackedTexts& texts) : texts_(texts) {}

    // The chunk that begins with row `first` and ends when it has `most_rows`, or more than `most_bytes` of values of texts and
    // of their shapes. Threads that pack side by side number shapes in any order, and which shapes there is room for depends on
    // it: a chunk is the same whatever it is. Row k is packed[ends[k-1], ends[k]) with ends[-1] = 0. Throws std::invalid_argument for what
    // no packer made, and unless ends grow within the bytes.
    TextChunk next(Span<const std::int64_t> ends, Bytes packed, std::size_t first, std::size_t most_bytes,
                   std::size_t most_rows);

  private:
    struct Shape {
        std::size_t size = 0;
        std::size_t numbers = 0;
        std::size_t chunk = 0;  // in which it was met last
        std::uint64_t place = 0;  // there
        std::size_t first_number = 0;  // of its texts there
    };

    Shape& shape(std::uint64_t number);
    template <typename Text>
    void place(Shape& shape, const Text& text);
    void add_value(std::size_t k, std::uint64_t value);
    std::size_t add_plain(std::string_view text);

    const PackedTexts& texts_;
    std::vector<Shape> shapes_;  // by number; sizes are set when a shape is met
    std::size_t chunk_ = 0;
    TextShape scanned_;
    // The same of this chunk's texts that were packed when there was no room for one shape more.
    Interner late_;
    std::vector<Shape> late_shapes_;
    std::vector<std::uint64_t> before_;  // numbers of the texts before
    std::uint64_t places_ = 0;  // shapes of the chunk
    Column<char> head_;  // these
    Column<char> rows_;
};

struct ChunkTexts {
    std::vector<std::int64_t> ends;  // of the rows
    std::string texts;
};

constexpr std::int32_t kNoText = -1;  // of a row without texts, in the place of a shape
constexpr std::int32_t kNoShape = -2;  // of one with several texts, or with one that has no shape

struct RowShapes {
    std::vector<std::string_view> shapes;  // of the chunk, whose bytes they are
    std::vector<std::int32_t> rows;  // of each row the place of its shape
};

// Throws std::invalid_argument for other bytes.
RowShapes row_shapes_of_chunk(Span<const std::uint32_t> counts, Bytes bytes);

// Reads what `TextChunks` has written. Throws std::invalid_argument for other bytes, and for more than `most_bytes` of
// texts.
ChunkTexts texts_of_chunk(Span<const std::uint32_t> counts, Bytes bytes, std::size_t most_bytes);

}  // namespace tilescope
