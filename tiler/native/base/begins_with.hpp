// Comparison of bytes with the beginning of others, sixteen at a time: most are too short for it to be worth a call.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tilescope {

// Number of bytes that may be read behind those that others are compared with.
constexpr std::size_t kReadBehind = 16;

// True if the `size` bytes at `plain`, which has `kReadBehind` more, stand at `p`, and before `end`.
inline bool begins_with(const char* p, const char* end, const char* plain, std::size_t size) {
    if (static_cast<std::size_t>(end - p) < size) return false;
#if defined(__SSE2__)
    while (size != 0 && static_cast<std::size_t>(end - p) >= kReadBehind) {
        const __m128i ours = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        const __m128i theirs = _mm_loadu_si128(reinterpret_cast<const __m128i*>(plain));
        const auto alike = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(ours, theirs)));
        if (size <= kReadBehind) return (~alike & ((2U << (size - 1)) - 1)) == 0;
        if (alike != 0xFFFF) return false;
        p += kReadBehind;
        plain += kReadBehind;
        size -= kReadBehind;
    }
#endif
    return std::memcmp(p, plain, size) == 0;
}

}  // namespace tilescope
