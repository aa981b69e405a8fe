#include "columns/text_shape.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tilescope {

bool TextShape::begin(std::size_t size) {
    shape_size_ = values_size_ = 0;
    return size <= kLongestText;
}

bool TextShape::add(std::string_view text) {
    const char* p = text.data();
    const char* end = p + text.size();
#if defined(__SSE2__)
    const __m128i zero = _mm_set1_epi8('0');
    const __m128i nine = _mm_set1_epi8(9);
    while (static_cast<std::size_t>(end - p) >= step) {
        const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        const __m128i offsets = _mm_sub_epi8(block, zero);
        const __m128i digits = _mm_cmpeq_epi8(_mm_min_epu8(offsets, nine), offsets);
        const __m128i marks = _mm_cmpeq_epi8(block, _mm_setzero_si128());
        const auto stops = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(digits, marks)));
        // What is written too much is written over: a shape is never longer than its text.
        _mm_storeu_si128(reinterpret_cast<__m128i*>(shape_.data() + shape_size_), block);
        const std::size_t plain = stops == 0 ? step : static_cast<std::size_t>(__builtin_ctz(stops));
        p += plain;
        shape_size_ += plain;
        if (stops == 0) continue;
        if (*p == kNumberMark) return false;
        p = add_number(p, end);
    }
#endif
    while (p != end) {
        const char c = *p;
        if (is_digit(c)) {
            p = add_number(p, end);
        } else if (c == kNumberMark) {
            return false;
        } else {
            add_mark(c);
            ++p;
        }
    }
    return true;
}

// `p` stands at a digit, or stood at one: each mark takes a byte at least, whatever the byte is by now.
const char* TextShape::add_number(const char* p, const char* end) {
    // Zeros before other digits belong to the shape: the value alone does not tell them.
    for (; *p == '0' && end - p > 1 && is_digit(p[1]); ++p) add_mark('0');
    std::uint64_t value = 0;
    std::size_t digits = 0;
    do {
        value = 10 * value + static_cast<std::uint64_t>(*p++ - '0');
    } while (++digits < kMostDigits && p != end && is_digit(*p));
    add_mark(kNumberMark);
    values_[values_size_++] = value;
    return p;
}

}  // namespace tilescope
