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
void decode_planes(const ContainerReader::Column& column, std::size_t first, Span<int64_t> out) {
    const auto [id, planes, flags, n, base, scale, values] = column;
    if ((flags & kFloat64) != 0) {
        for (std::size_t k = 0; k < out.size(); ++k) {
            out[k] = static_cast<int64_t>(plain_value<Planes>(values, n, first + k));
        }
        return;
    }
    const bool zigzag = (flags & kZigzag) != 0;
    if ((flags & kDelta) == 0) {
        for (std::size_t k = 0; k < out.size(); ++k) {
            const uint64_t value = plain_value<Planes>(values, n, first + k);
            out[k] = static_cast<int64_t>(base + scale * (zigzag ? unsigned_of(value) : value));
        }
        return;
    }
    uint64_t last = base;
    const auto step = [&, values = values, n = n, scale = scale](std::size_t k) {
        const uint64_t value = plain_value<Planes>(values, n, k);
        last += scale * (zigzag ? unsigned_of(value) : value);
    };
    for (std::size_t k = 0; k < first; ++k) step(k);
    for (std::size_t k = 0; k < out.size(); ++k) {
        step(first + k);
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

const ContainerReader::Column* ContainerReader::find(uint8_t id, std::size_t n) const {
    const Column* found = find(id);
    const std::size_t there = found == nullptr ? 0 : found->n;
    if (there != n) {
        throw DamagedContainer("column " + std::to_string(id) + " of a container has " + std::to_string(there) +
                               " values, not " + std::to_string(n));
    }
    return found;
}

std::vector<int64_t> ContainerReader::values(uint8_t id, std::size_t n) const {
    const Column* found = find(id, n);
    return found == nullptr ? std::vector<int64_t>() : decode(*found);
}

std::vector<int64_t> ContainerReader::decode(const Column& column) {
    std::vector<int64_t> out(column.n);
    decode(column, 0, out);
    return out;
}

void ContainerReader::decode(const Column& column, std::size_t first, Span<int64_t> out) {
    if (first > column.n || out.size() > column.n - first) throw std::out_of_range("a column has no such values");
    switch (column.planes) {
    case 0: return decode_planes<0>(column, first, out);
    case 1: return decode_planes<1>(column, first, out);
    case 2: return decode_planes<2>(column, first, out);
    case 3: return decode_planes<3>(column, first, out);
    case 4: return decode_planes<4>(column, first, out);
    case 5: return decode_planes<5>(column, first, out);
    case 6: return decode_planes<6>(column, first, out);
    case 7: return decode_planes<7>(column, first, out);
    default: return decode_planes<8>(column, first, out);
    }
}

}  // namespace tilescope
