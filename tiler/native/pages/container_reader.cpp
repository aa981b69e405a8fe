#include "pages/container_reader.hpp"

#include <string>

namespace tilescope {

namespace {

constexpr std::size_t kHead = 16;
constexpr std::size_t kColumnHeader = 24;
constexpr uint8_t kDelta = 1, kZigzag = 2, kFloat64 = 4;

uint64_t little_endian(Bytes bytes) {
    uint64_t value = 0;
    for (std::size_t k = 0; k < bytes.size(); ++k) value |= static_cast<uint64_t>(bytes[k]) << (8 * k);
    return value;
}

// One pass over a column: its planes side by side, so that what is known of it is decided once and not for each value.
template <unsigned Planes>
uint64_t plain_value(Bytes values, std::size_t n, std::size_t k) {
    uint64_t value = 0;
    for (unsigned plane = 0; plane < Planes; ++plane)
        value |= static_cast<uint64_t>(values[plane * n + k]) << (8 * plane);
    return value;
}

uint64_t unsigned_of(uint64_t zigzag) { return (zigzag >> 1) ^ (0 - (zigzag & 1)); }

// Unsigned throughout: damaged values may wrap around.
template <unsigned Planes>
void decode_planes(const ContainerReader::Column& column, Span<int64_t> out) {
    const auto [id, planes, flags, n, base, scale, values] = column;
    if ((flags & kFloat64) != 0) {
        for (std::size_t k = 0; k < n; ++k) out[k] = static_cast<int64_t>(plain_value<Planes>(values, n, k));
        return;
    }
    const bool zigzag = (flags & kZigzag) != 0;
    if ((flags & kDelta) == 0) {
        for (std::size_t k = 0; k < n; ++k) {
            const uint64_t value = plain_value<Planes>(values, n, k);
            out[k] = static_cast<int64_t>(base + scale * (zigzag ? unsigned_of(value) : value));
        }
        return;
    }
    uint64_t last = base;
    for (std::size_t k = 0; k < n; ++k) {
        const uint64_t value = plain_value<Planes>(values, n, k);
        last += scale * (zigzag ? unsigned_of(value) : value);
        out[k] = static_cast<int64_t>(last);
    }
}

}  // namespace

bool ContainerReader::Column::is_float() const { return (flags & kFloat64) != 0; }

ContainerReader::ContainerReader(Bytes bytes, std::size_t max_rows) {
    const std::size_t size = bytes.size();
    if (size < kHead) {
        throw DamagedContainer("a record of " + std::to_string(size) + " bytes is too short for a column container");
    }
    const std::size_t n_columns = little_endian(bytes.subspan(6, 2));
    tiles_ = little_endian(bytes.subspan(8, 4));
    std::size_t at = kHead + n_columns * kColumnHeader;
    if (at > size) throw DamagedContainer("a column container ends inside its headers");
    std::size_t rows = 0;
    columns_.reserve(n_columns);
    for (std::size_t k = 0; k < n_columns; ++k) {
        const Bytes header = bytes.subspan(kHead + k * kColumnHeader, kColumnHeader);
        Column column{header[0],
                      header[1],
                      header[2],
                      little_endian(header.subspan(4, 4)),
                      little_endian(header.subspan(8, 8)),
                      little_endian(header.subspan(16, 8)),
                      {}};
        if (column.planes > 8 || column.planes * column.n > size - at) {
            throw DamagedContainer("column " + std::to_string(column.id) + " of a container lies beyond its end");
        }
        rows += column.n;
        if (rows > max_rows) {  // a column of equal values takes no bytes, whatever its length
            throw DamagedContainer("a column container says that it has more than " + std::to_string(max_rows) +
                                   " values");
        }
        column.values = bytes.subspan(at, column.planes * column.n);
        at += column.values.size();
        columns_.push_back(column);
    }
    if (at != size) throw DamagedContainer(std::to_string(size - at) + " bytes follow a column container");
}

const ContainerReader::Column* ContainerReader::find(uint8_t id) const {
    // The last one of an id counts, as in a dictionary.
    for (auto column = columns_.rbegin(); column != columns_.rend(); ++column) {
        if (column->id == id) return &*column;
    }
    return nullptr;
}

std::vector<int64_t> ContainerReader::values(uint8_t id, std::size_t n) const {
    const Column* found = find(id);
    const std::size_t there = found == nullptr ? 0 : found->n;
    if (there != n) {
        throw DamagedContainer("column " + std::to_string(id) + " of a container has " + std::to_string(there) +
                               " values, not " + std::to_string(n));
    }
    return found == nullptr ? std::vector<int64_t>() : decode(*found);
}

std::vector<int64_t> ContainerReader::decode(const Column& column) {
    std::vector<int64_t> out(column.n);
    switch (column.planes) {
    case 0: decode_planes<0>(column, out); break;
    case 1: decode_planes<1>(column, out); break;
    case 2: decode_planes<2>(column, out); break;
    case 3: decode_planes<3>(column, out); break;
    case 4: decode_planes<4>(column, out); break;
    case 5: decode_planes<5>(column, out); break;
    case 6: decode_planes<6>(column, out); break;
    case 7: decode_planes<7>(column, out); break;
    default: decode_planes<8>(column, out);
    }
    return out;
}

}  // namespace tilescope
