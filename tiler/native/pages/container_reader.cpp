#include "pages/container_reader.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <string>

namespace tilescope {

namespace {

constexpr std::size_t kHead = 16;
constexpr std::size_t kColumnHeader = 24;
constexpr std::size_t kAtOnce = 512;  // values that stay near while they are worked on twice
constexpr uint8_t kDelta = 1, kZigzag = 2, kFloat64 = 4;

uint64_t little_endian(Bytes bytes) {
    uint64_t value = 0;
    for (std::size_t k = 0; k < bytes.size(); ++k) value |= static_cast<uint64_t>(bytes[k]) << (8 * k);
    return value;
}

template <unsigned Planes>
uint64_t plain_value(const uint8_t* values, std::size_t n, std::size_t k) {
    uint64_t value = 0;
    for (unsigned plane = 0; plane < Planes; ++plane) {
        value |= static_cast<uint64_t>(values[plane * n + k]) << (8 * plane);
    }
    return value;
}

#if defined(__SSE2__)
// Sixteen values, of whose planes the first bytes are at `values`, `values + n` and so on: neighbours are interleaved.
template <unsigned Planes>
void sixteen_values(const uint8_t* values, std::size_t n, int64_t* out) {
    const __m128i zero = _mm_setzero_si128();
    __m128i plane[8];  // a std::array of them loses their alignment
    for (unsigned k = 0; k < 8; ++k) {
        plane[k] = k < Planes ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(values + k * n)) : zero;
    }
    const auto quarter = [&plane](unsigned first, bool upper_bytes, bool upper_words) {
        const __m128i low = upper_bytes ? _mm_unpackhi_epi8(plane[first], plane[first + 1])
                                        : _mm_unpacklo_epi8(plane[first], plane[first + 1]);
        const __m128i high = upper_bytes ? _mm_unpackhi_epi8(plane[first + 2], plane[first + 3])
                                         : _mm_unpacklo_epi8(plane[first + 2], plane[first + 3]);
        return upper_words ? _mm_unpackhi_epi16(low, high) : _mm_unpacklo_epi16(low, high);
    };
    for (std::size_t k = 0; k < 4; ++k) {
        const __m128i low = quarter(0, (k & 2) != 0, (k & 1) != 0);
        const __m128i high = Planes > 4 ? quarter(4, (k & 2) != 0, (k & 1) != 0) : zero;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 4 * k), _mm_unpacklo_epi32(low, high));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 4 * k + 2), _mm_unpackhi_epi32(low, high));
    }
}
#endif

// Decodes what the planes of a column hold from value `first` on, before base, scale and differences. The caller has
// checked that they are there.
template <unsigned Planes>
void plain_values(const ContainerReader::Column& column, std::size_t first, Span<int64_t> out) {
    std::size_t k = 0;
#if defined(__SSE2__)
    if constexpr (Planes > 0) {
        for (; k + 16 <= out.size(); k += 16) {
            sixteen_values<Planes>(column.values.data() + first + k, column.n, out.data() + k);
        }
    }
#endif
    for (; k < out.size(); ++k) {
        out[k] = static_cast<int64_t>(plain_value<Planes>(column.values.data(), column.n, first + k));
    }
}

uint64_t unsigned_of(uint64_t zigzag) { return (zigzag >> 1) ^ (0 - (zigzag & 1)); }

// Unsigned throughout: damaged values may wrap around.
template <typename Change>
void change(Span<int64_t> values, Change changed) {
    for (int64_t& value : values) value = static_cast<int64_t>(changed(static_cast<uint64_t>(value)));
}

#if defined(__SSE2__)
// Sums of the bytes of a plane, of those that a mask has and of the others.
struct ByteSums {
    __m128i marked = _mm_setzero_si128(), others = _mm_setzero_si128();

    void add(__m128i bytes, __m128i mask) {
        marked = _mm_add_epi64(marked, _mm_sad_epu8(_mm_and_si128(mask, bytes), _mm_setzero_si128()));
        others = _mm_add_epi64(others, _mm_sad_epu8(_mm_andnot_si128(mask, bytes), _mm_setzero_si128()));
    }
    static uint64_t total(__m128i lanes) {
        uint64_t halves[2];
        _mm_storeu_si128(reinterpret_cast<__m128i*>(halves), lanes);
        return halves[0] + halves[1];
    }
};

// The sum of the differences [first, last), which are a multiple of sixteen: plane by plane, without values. Of zigzag
// ones odd ones are negative, and half of each counts: the lowest plane gives its lowest bit away.
template <unsigned Planes>
uint64_t sum_of_sixteens(const ContainerReader::Column& column, std::size_t first, std::size_t last, bool zigzag) {
    const __m128i ones = _mm_set1_epi8(1);
    ByteSums sums[Planes];
    __m128i odd_count = _mm_setzero_si128();
    for (std::size_t k = first; k < last; k += 16) {
        const auto plane = [&](unsigned number) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(column.values.data() + number * column.n + k));
        };
        const __m128i lowest = plane(0), odd = _mm_and_si128(lowest, ones);
        const __m128i negative = zigzag ? _mm_cmpeq_epi8(odd, ones) : _mm_setzero_si128();
        odd_count = _mm_add_epi64(odd_count, _mm_sad_epu8(odd, _mm_setzero_si128()));
        sums[0].add(zigzag ? _mm_andnot_si128(ones, lowest) : lowest, negative);
        for (unsigned number = 1; number < Planes; ++number) sums[number].add(plane(number), negative);
    }
    uint64_t positive = 0, negative = 0;
    for (unsigned number = 0; number < Planes; ++number) {
        const auto in_place = [&](uint64_t sum) {
            return !zigzag ? sum << (8 * number) : number == 0 ? sum >> 1 : sum << (8 * number - 1);
        };
        positive += in_place(ByteSums::total(sums[number].others));
        negative += in_place(ByteSums::total(sums[number].marked));
    }
    return zigzag ? positive - negative - ByteSums::total(odd_count) : positive;
}
#endif

// The sum of the differences [first, last).
template <unsigned Planes>
uint64_t sum_of(const ContainerReader::Column& column, std::size_t first, std::size_t last, bool zigzag) {
    uint64_t sum = 0;
#if defined(__SSE2__)
    if constexpr (Planes > 0) {
        const std::size_t whole = (last - first) / 16 * 16;
        sum = sum_of_sixteens<Planes>(column, first, first + whole, zigzag);
        first += whole;
    }
#endif
    for (; first < last; ++first) {
        const uint64_t plain = plain_value<Planes>(column.values.data(), column.n, first);
        sum += zigzag ? unsigned_of(plain) : plain;
    }
    return sum;
}

// Some values at a time, which stay near while they are worked on twice.
template <unsigned Planes>
void decode_planes(const ContainerReader::Column& column, std::size_t first, Span<int64_t> out,
                   ContainerReader::Place& place) {
    const uint64_t base = column.base, scale = column.scale;
    const bool zigzag = (column.flags & kZigzag) != 0, delta = (column.flags & kDelta) != 0;
    uint64_t last = base;
    if (delta && !column.is_float()) {
        if (place.value > first) place = {};
        place.sum += sum_of<Planes>(column, place.value, first, zigzag);
        last += scale * place.sum;
        place.value = first;
    }
    for (std::size_t begin = 0; begin < out.size(); begin += kAtOnce) {
        const Span<int64_t> batch = out.subspan(begin, std::min(kAtOnce, out.size() - begin));
        plain_values<Planes>(column, first + begin, batch);
        if (column.is_float()) continue;
        if (delta && zigzag) {
            change(batch, [&](uint64_t value) { return last += scale * unsigned_of(value); });
        } else if (delta) {
            change(batch, [&](uint64_t value) { return last += scale * value; });
        } else if (zigzag) {
            change(batch, [&](uint64_t value) { return base + scale * unsigned_of(value); });
        } else if (scale == 1) {  // a product of 64 bits is not one instruction where several are worked on at a time
            change(batch, [&](uint64_t value) { return base + value; });
        } else {
            change(batch, [&](uint64_t value) { return base + scale * value; });
        }
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
    std::size_t offset = kHead + n_columns * kColumnHeader;
    if (offset > size) throw DamagedContainer("a column container ends inside its headers");
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
        if (column.planes > 8 || column.planes * column.n > size - offset) {
            throw DamagedContainer("column " + std::to_string(column.id) + " of a container lies beyond its end");
        }
        rows += column.n;
        if (rows > max_rows) {  // a column of equal values takes no bytes, whatever its length
            throw DamagedContainer("a column container says that it has more than " + std::to_string(max_rows) +
                                   " values");
        }
        column.values = bytes.subspan(offset, column.planes * column.n);
        offset += column.values.size();
        columns_.push_back(column);
    }
    if (offset != size) throw DamagedContainer(std::to_string(size - offset) + " bytes follow a column container");
}

const ContainerReader::Column* ContainerReader::find(uint8_t id) const {
    // The last one of an id counts, as in a dictionary.
    for (auto column = columns_.rbegin(); column != columns_.rend(); ++column) {
        if (column->id == id) return &*column;
    }
    return nullptr;
}

const ContainerReader::Column* ContainerReader::find(uint8_t id, std::size_t n) const {
    const Column* column = find(id);
    const std::size_t there = column == nullptr ? 0 : column->n;
    if (there != n) {
        throw DamagedContainer("column " + std::to_string(id) + " of a container has " + std::to_string(there) +
                               " values, not " + std::to_string(n));
    }
    return column;
}

std::vector<int64_t> ContainerReader::values(uint8_t id, std::size_t n) const {
    const Column* column = find(id, n);
    return column == nullptr ? std::vector<int64_t>() : decode(*column);
}

std::vector<int64_t> ContainerReader::decode(const Column& column) {
    std::vector<int64_t> out(column.n);
    decode(column, 0, out);
    return out;
}

void ContainerReader::decode(const Column& column, std::size_t first, Span<int64_t> out) {
    Place place;
    decode(column, first, out, place);
}

void ContainerReader::decode(const Column& column, std::size_t first, Span<int64_t> out, Place& place) {
    if (first > column.n || out.size() > column.n - first) throw std::out_of_range("a column has no such values");
    switch (column.planes) {
    case 0: return decode_planes<0>(column, first, out, place);
    case 1: return decode_planes<1>(column, first, out, place);
    case 2: return decode_planes<2>(column, first, out, place);
    case 3: return decode_planes<3>(column, first, out, place);
    case 4: return decode_planes<4>(column, first, out, place);
    case 5: return decode_planes<5>(column, first, out, place);
    case 6: return decode_planes<6>(column, first, out, place);
    case 7: return decode_planes<7>(column, first, out, place);
    default: return decode_planes<8>(column, first, out, place);
    }
}

}  // namespace tilescope
