// Repair of text that should be UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tilescope::utf8 {

// Length of the valid UTF-8 sequence that begins at `text[offset]`, or 0 where there is none.
inline std::size_t sequence_length(std::string_view text, std::size_t offset) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0u;
    };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead <= 0xdf) return continues(1) ? 2 : 0;
    if (lead >= 0xe0 && lead <= 0xef) {
        if (!continues(1) || !continues(2)) return 0;
        if (lead == 0xe0 && byte(1) < 0xa0) return 0; // overlong
        if (lead == 0xed && byte(1) > 0x9f) return 0; // surrogate
        return 3;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
        if (!continues(1) || !continues(2) || !continues(3)) return 0;
        if (lead == 0xf0 && byte(1) < 0x90) return 0; // overlong
        if (lead == 0xf4 && byte(1) > 0x8f) return 0; // above U+10FFFF
        return 4;
    }
    return 0;
}

constexpr std::size_t kAtOnce = sizeof(std::uint64_t);

// True if so many bytes from an offset on are there, and all of them ASCII.
inline bool are_ascii(std::string_view text, std::size_t offset) {
    if (text.size() - offset < kAtOnce) return false;
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + offset, kAtOnce);
    return (eight & 0x8080808080808080U) == 0;
}

inline bool is_valid(std::string_view text) {
    for (std::size_t offset = 0; offset < text.size();) {
        const std::size_t length = are_ascii(text, offset) ? kAtOnce : sequence_length(text, offset);
        if (length == 0) return false;
        offset += length;
    }
    return true;
}

// The text with U+FFFD for each byte that belongs to no valid sequence.
inline std::string repaired(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    std::size_t begin = 0;  // of what is valid up to `offset`, and not yet taken
    for (std::size_t offset = 0; offset < text.size();) {
        const std::size_t length = are_ascii(text, offset) ? kAtOnce : sequence_length(text, offset);
        if (length == 0) {
            result.append(text, begin, offset - begin);
            result += "\xef\xbf\xbd";
            begin = ++offset;
        } else {
            offset += length;
        }
    }
    result.append(text, begin);
    return result;
}

}  // namespace tilescope::utf8
