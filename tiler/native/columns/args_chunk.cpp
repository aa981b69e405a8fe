#include "columns/args_chunk.hpp"

#include <algorithm>
#include <stdexcept>

#include "columns/length_classes.hpp"

namespace tilescope {

unsigned ChunkWriter::bytes_of(std::uint64_t all) {
    unsigned bytes = 0;
    for (; all != 0; all >>= 8) ++bytes;
    return bytes;
}

void ChunkWriter::number(std::uint64_t value, unsigned bytes) {
    for (; bytes > 0; --bytes, value >>= 8) bytes_.push_back(static_cast<std::uint8_t>(value));
}

void ChunkWriter::head(ChunkOrder order, Span<const std::int64_t> ends, std::int64_t start) {
    std::vector<std::uint32_t> lengths(ends.size());
    std::uint32_t all = 0;
    for (std::size_t k = 0; k < ends.size(); ++k) {
        lengths[k] = static_cast<std::uint32_t>(ends[k]) - static_cast<std::uint32_t>(k == 0 ? start : ends[k - 1]);
        all |= lengths[k];
    }
    const unsigned bytes = std::max(1u, bytes_of(all));
    number(ends.size(), sizeof(std::uint32_t));
    number(static_cast<std::uint8_t>(order), 1);
    number(bytes, 1);
    column(Span<const std::uint32_t>(lengths), bytes);
}

Span<char> ChunkWriter::room(std::size_t size) {
    bytes_.resize(bytes_.size() + size);
    return {reinterpret_cast<char*>(bytes_.data()) + bytes_.size() - size, size};
}

std::vector<std::uint8_t> column_chunk(Span<const std::int64_t> ends, std::int64_t start, Bytes data) {
    const std::int64_t stop = ends.empty() ? start : ends.back();
    if (start < 0 || stop < start || static_cast<std::uint64_t>(stop) > data.size())
        throw std::invalid_argument("ends lie beyond the data");
    const auto size = static_cast<std::size_t>(stop - start);
    constexpr std::size_t most_head = 6 + 2;  // lengths have rarely more than a byte
    ChunkWriter out(size + most_head + 2 * ends.size());
    out.head(ChunkOrder::columns, ends, start);
    write_by_length(ends, start, data, out.room(size));
    return out.take();
}

}  // namespace tilescope
