#include "prove/container.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "prove/failure.hpp"

namespace tilescope {

namespace {

constexpr std::size_t kHead = 16;
constexpr std::size_t kColumnHeader = 24;
constexpr unsigned kDelta = 1, kZigzag = 2, kFloat64 = 4;

uint64_t little_endian(Bytes bytes) {
    uint64_t value = 0;
    for (std::size_t k = 0; k < bytes.size(); ++k) value |= static_cast<uint64_t>(bytes[k]) << (8 * k);
    return value;
}

}  // namespace

void ProveColumn::read(Span<int64_t> out) {
    const std::size_t count = out.size();
    if (count > n_ - n_read_) throw WrongRecord("a column of a container is too short");
    if (count == 0) return;
    std::memset(out.data(), 0, count * sizeof(int64_t));
    for (unsigned plane = 0; plane < n_planes_; ++plane) {
        const Bytes from = planes_.subspan(plane * n_ + n_read_, count);
        const unsigned shift = 8 * plane;
        for (std::size_t k = 0; k < count; ++k) {
            out[k] = static_cast<int64_t>(static_cast<uint64_t>(out[k]) | static_cast<uint64_t>(from[k]) << shift);
        }
    }
    n_read_ += count;
    if ((flags_ & kFloat64) != 0) return;
    const bool zigzag = (flags_ & kZigzag) != 0, delta = (flags_ & kDelta) != 0;
    for (std::size_t k = 0; k < count; ++k) {
        auto raw = static_cast<uint64_t>(out[k]);
        if (zigzag) raw = (raw >> 1) ^ (0 - (raw & 1));
        const uint64_t value = value_ + scale_ * raw;
        if (delta) value_ = value;
        out[k] = static_cast<int64_t>(value);
    }
}

ProveContainer::ProveContainer(Bytes bytes, const char* magic) {
    if (bytes.size() < kHead || text_of(bytes.first(4)) != magic || bytes[4] != 1) {
        throw WrongRecord(std::string("a record is no container ") + magic);
    }
    level_ = bytes[5];
    const std::size_t n_columns = little_endian(bytes.subspan(6, 2));
    tiles_ = little_endian(bytes.subspan(8, 4));
    block_ = little_endian(bytes.subspan(12, 4));
    std::size_t body = kHead + n_columns * kColumnHeader;
    if (body > bytes.size()) throw WrongRecord("a column container ends inside its headers");
    for (std::size_t k = 0; k < n_columns; ++k) {
        const Bytes header = bytes.subspan(kHead + k * kColumnHeader, kColumnHeader);
        const unsigned planes = header[1];
        const std::size_t n = little_endian(header.subspan(4, 4));
        if (planes > 8 || planes * n > bytes.size() - body) {
            throw WrongRecord("column " + std::to_string(header[0]) + " of a container lies beyond its end");
        }
        columns_[header[0]] = ProveColumn(bytes.subspan(body, planes * n), n, planes, header[2],
                                          static_cast<int64_t>(little_endian(header.subspan(8, 8))),
                                          little_endian(header.subspan(16, 8)));
        body += planes * n;
    }
    if (body != bytes.size()) {
        throw WrongRecord(std::to_string(bytes.size() - body) + " bytes follow a column container");
    }
}

ProveColumn ProveContainer::column(unsigned id, std::size_t n) const {
    const ProveColumn& column = columns_.at(id);
    if (column.size() != n) {
        throw WrongRecord("column " + std::to_string(id) + " of a page has " + std::to_string(column.size()) +
                          " values, not " + std::to_string(n));
    }
    return column;
}

}  // namespace tilescope
