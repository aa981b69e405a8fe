#include "base/byte_planes.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tilescope {

namespace {

// The values from `first` on, one plane after the other.
template <typename T>
void write_one_by_one(Span<const T> values, std::size_t first, std::size_t planes, char* out, std::size_t stride) {
    for (std::size_t plane = 0; plane < planes; ++plane, out += stride) {
        for (std::size_t k = first; k < values.size(); ++k) out[k] = static_cast<char>(values[k] >> (8 * plane));
    }
}

#if defined(__SSE2__)

constexpr std::size_t kTogether = 16;  // values: a plane of so many fills a register

__m128i load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

// Writes the planes of a few values: each so far behind the one before.
class PlaneStore {
  public:
    PlaneStore(char* out, std::size_t stride, std::size_t planes) : out_(out), stride_(stride), left_(planes) {}

    void put(__m128i plane) {
        if (left_ == 0) return;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out_), plane);
        out_ += stride_;
        --left_;
    }
    bool full() const { return left_ == 0; }

  private:
    char* out_;
    std::size_t stride_;
    std::size_t left_;
};

// Takes the bytes of 16 values: those of the values k, k + 4, k + 8 and k + 12 side by side, place by place, for each k
// below 4. Four places of each value are in them.
void put_four(__m128i k0, __m128i k1, __m128i k2, __m128i k3, PlaneStore& out) {
    const __m128i even = _mm_unpacklo_epi8(k0, k2), odd = _mm_unpacklo_epi8(k1, k3);
    out.put(_mm_unpacklo_epi8(even, odd));
    out.put(_mm_unpackhi_epi8(even, odd));
    if (out.full()) return;
    const __m128i high_even = _mm_unpackhi_epi8(k0, k2), high_odd = _mm_unpackhi_epi8(k1, k3);
    out.put(_mm_unpacklo_epi8(high_even, high_odd));
    out.put(_mm_unpackhi_epi8(high_even, high_odd));
}

void put_16(const uint16_t* values, PlaneStore out) {
    const __m128i a = load(values), b = load(values + 8);
    const __m128i low = _mm_set1_epi16(0xFF);
    out.put(_mm_packus_epi16(_mm_and_si128(a, low), _mm_and_si128(b, low)));
    out.put(_mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8)));
}

void put_16(const uint32_t* values, PlaneStore out) {
    const __m128i a = load(values), b = load(values + 4), c = load(values + 8), d = load(values + 12);
    const __m128i first = _mm_unpacklo_epi8(a, c),
                  second = _mm_unpackhi_epi8(a, c);  // the values 0, 8, 1, 9 and 2, 10, 3, 11
    const __m128i third = _mm_unpacklo_epi8(b, d), fourth = _mm_unpackhi_epi8(b, d);  // 4, 12, 5, 13 and 6, 14, 7, 15
    put_four(_mm_unpacklo_epi8(first, third), _mm_unpackhi_epi8(first, third), _mm_unpacklo_epi8(second, fourth),
             _mm_unpackhi_epi8(second, fourth), out);
}

void put_16(const uint64_t* values, PlaneStore out) {
    __m128i pair[8];  // the bytes of the values k and k + 8
    for (std::size_t k = 0; k < 8; k += 2) {
        const __m128i a = load(values + k), b = load(values + k + 8);
        pair[k] = _mm_unpacklo_epi8(a, b);
        pair[k + 1] = _mm_unpackhi_epi8(a, b);
    }
    put_four(_mm_unpacklo_epi8(pair[0], pair[4]), _mm_unpacklo_epi8(pair[1], pair[5]),
             _mm_unpacklo_epi8(pair[2], pair[6]), _mm_unpacklo_epi8(pair[3], pair[7]), out);
    if (out.full()) return;
    put_four(_mm_unpackhi_epi8(pair[0], pair[4]), _mm_unpackhi_epi8(pair[1], pair[5]),
             _mm_unpackhi_epi8(pair[2], pair[6]), _mm_unpackhi_epi8(pair[3], pair[7]), out);
}

template <typename T>
void write(Span<const T> values, std::size_t planes, char* out, std::size_t stride) {
    std::size_t done = 0;
    for (; values.size() - done >= kTogether; done += kTogether) {
        put_16(values.data() + done, PlaneStore(out + done, stride, planes));
    }
    write_one_by_one(values, done, planes, out, stride);
}

#else

template <typename T>
void write(Span<const T> values, std::size_t planes, char* out, std::size_t stride) {
    write_one_by_one(values, 0, planes, out, stride);
}

#endif

}  // namespace

void write_planes(Span<const uint16_t> values, std::size_t planes, char* out, std::size_t stride) {
    write(values, planes, out, stride);
}
void write_planes(Span<const uint32_t> values, std::size_t planes, char* out, std::size_t stride) {
    write(values, planes, out, stride);
}
void write_planes(Span<const uint64_t> values, std::size_t planes, char* out, std::size_t stride) {
    write(values, planes, out, stride);
}

}  // namespace tilescope
