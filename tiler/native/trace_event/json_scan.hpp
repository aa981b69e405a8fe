// The innermost loops over JSON text: end of a string, white space, number of lines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tilescope {

inline std::string_view text_between(const char* from, const char* to) {
    return {from, static_cast<std::size_t>(to - from)};
}

// The end of a string. `quote` is null when the text ends first.
struct StringEnd {
    const char* quote;
    bool escaped;    // holds a backslash
    bool non_ascii;  // holds a byte above 127
};

// `p` stands behind the opening quote. Control characters are part of the string: many writers leave them raw.
inline StringEnd find_string_end(const char* p, const char* end) {
    bool escaped = false;
    bool non_ascii = false;
    for (;;) {
#if defined(__SSE2__)
        const __m128i quote = _mm_set1_epi8('"');
        const __m128i backslash = _mm_set1_epi8('\\');
        while (end - p >= 16) {
            const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
            const auto stops = static_cast<unsigned>(
                _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash))));
            auto tops = static_cast<unsigned>(_mm_movemask_epi8(block));
            if (stops != 0) {
                const auto index = static_cast<unsigned>(__builtin_ctz(stops));
                tops &= (1U << index) - 1;
                non_ascii = non_ascii || tops != 0;
                p += index;
                break;
            }
            non_ascii = non_ascii || tops != 0;
            p += 16;
        }
#endif
        while (p != end && *p != '"' && *p != '\\') {
            non_ascii = non_ascii || static_cast<signed char>(*p) < 0;
            ++p;
        }
        if (p == end) return {nullptr, escaped, non_ascii};
        if (*p == '"') return {p, escaped, non_ascii};
        escaped = true;
        if (end - p < 2) return {nullptr, escaped, non_ascii};
        non_ascii = non_ascii || static_cast<signed char>(p[1]) < 0;
        p += 2;
    }
}

inline std::uint64_t count_line_ends(std::string_view text) {
    const char* p = text.data();
    const char* end = p + text.size();
    std::uint64_t count = 0;
#if defined(__SSE2__)
    const __m128i line_end = _mm_set1_epi8('\n');
    while (end - p >= 16) {
        __m128i lanes = _mm_setzero_si128();  // 16 counters of one byte: good for 255 blocks
        for (int blocks = 0; blocks < 255 && end - p >= 16; ++blocks, p += 16) {
            const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
            lanes = _mm_sub_epi8(lanes, _mm_cmpeq_epi8(block, line_end));
        }
        const __m128i sums = _mm_sad_epu8(lanes, _mm_setzero_si128());
        alignas(16) std::uint64_t halves[2];
        _mm_store_si128(reinterpret_cast<__m128i*>(halves), sums);
        count += halves[0] + halves[1];
    }
#endif
    for (; p != end; ++p) count += *p == '\n';
    return count;
}

inline bool is_space(char c) {
    constexpr auto bit = [](char space) { return std::uint64_t{1} << space; };
    constexpr std::uint64_t spaces = bit(' ') | bit('\n') | bit('\t') | bit('\r');
    const auto code = static_cast<unsigned char>(c);
    return code <= ' ' && ((spaces >> code) & 1) != 0;
}

inline const char* skip_space(const char* p, const char* end) {
    if (p == end || !is_space(*p)) return p;
    ++p;
#if defined(__SSE2__)
    // A second one is mostly the indentation of a line.
    if (p != end && is_space(*p)) {
        while (end - p >= 16) {
            const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
            const auto is = [block](char c) { return _mm_cmpeq_epi8(block, _mm_set1_epi8(c)); };
            const __m128i spaces = _mm_or_si128(_mm_or_si128(is(' '), is('\n')), _mm_or_si128(is('\t'), is('\r')));
            const auto mask = static_cast<unsigned>(_mm_movemask_epi8(spaces));
            if (mask != 0xFFFF) return p + __builtin_ctz(~mask);
            p += 16;
        }
    }
#endif
    while (p != end && is_space(*p)) ++p;
    return p;
}

// Numbers and words: true, null, NaN, -Infinity, 1e-9, +100, 0x1f.
inline constexpr auto token_characters = [] {
    std::array<bool, 256> is{};
    for (unsigned c = 0; c < 256; ++c) {
        is[c] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
                c == '.' || c == '_';
    }
    return is;
}();

inline bool is_token(char c) { return token_characters[static_cast<unsigned char>(c)]; }

inline const char* skip_token(const char* p, const char* end) {
#if defined(__SSE2__)
    const auto within = [](__m128i offsets, char last) {  // unsigned comparison
        return _mm_cmpeq_epi8(_mm_min_epu8(offsets, _mm_set1_epi8(last)), offsets);
    };
    const auto is = [](__m128i block, char c) { return _mm_cmpeq_epi8(block, _mm_set1_epi8(c)); };
    while (end - p >= 16) {
        const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        const __m128i lower = _mm_or_si128(block, _mm_set1_epi8(' '));
        const __m128i letters = within(_mm_sub_epi8(lower, _mm_set1_epi8('a')), 25);
        const __m128i digits = within(_mm_sub_epi8(block, _mm_set1_epi8('0')), 9);
        const __m128i signs = _mm_or_si128(is(block, '-'), is(block, '+'));
        const __m128i others = _mm_or_si128(signs, _mm_or_si128(is(block, '.'), is(block, '_')));
        const auto tokens =
            static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(letters, digits), others)));
        if (tokens != 0xFFFF) return p + __builtin_ctz(~tokens);
        p += 16;
    }
#endif
    while (p != end && is_token(*p)) ++p;
    return p;
}

}  // namespace tilescope
