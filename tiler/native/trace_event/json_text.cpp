#include "trace_event/json_text.hpp"

#include <cstddef>
#include <cstdint>

namespace tilescope {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

void append_code_point(std::uint32_t code, std::string& out) {
    const auto byte = [&out](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0 | (code >> 6));
        byte(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        byte(0xE0 | (code >> 12));
        byte(0x80 | ((code >> 6) & 0x3F));
        byte(0x80 | (code & 0x3F));
    } else {
        byte(0xF0 | (code >> 18));
        byte(0x80 | ((code >> 12) & 0x3F));
        byte(0x80 | ((code >> 6) & 0x3F));
        byte(0x80 | (code & 0x3F));
    }
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The four digits of "\uXXXX" at `offset`, or -1.
std::int32_t unicode_escape(std::string_view raw, std::size_t offset) {
    if (raw.size() - offset < 6 || raw[offset] != '\\' || raw[offset + 1] != 'u') return -1;
    std::int32_t code = 0;
    for (std::size_t k = offset + 2; k < offset + 6; ++k) {
        const int digit = hex_digit(raw[k]);
        if (digit < 0) return -1;
        code = code * 16 + digit;
    }
    return code;
}

// Decodes the escape at `offset`; returns how many bytes of `raw` it took, 0 for a bad one.
std::size_t append_escape(std::string_view raw, std::size_t offset, std::string& out) {
    if (raw.size() - offset < 2) return 0;
    switch (raw[offset + 1]) {
    case '"': out.push_back('"'); return 2;
    case '\\': out.push_back('\\'); return 2;
    case '/': out.push_back('/'); return 2;
    case 'b': out.push_back('\b'); return 2;
    case 'f': out.push_back('\f'); return 2;
    case 'n': out.push_back('\n'); return 2;
    case 'r': out.push_back('\r'); return 2;
    case 't': out.push_back('\t'); return 2;
    case 'u': break;
    default: return 0;
    }
    const std::int32_t code = unicode_escape(raw, offset);
    if (code < 0) return 0;
    if (code >= 0xD800 && code < 0xDC00) {
        const std::int32_t low = raw.size() - offset >= 12 ? unicode_escape(raw, offset + 6) : -1;
        if (low >= 0xDC00 && low < 0xE000) {
            append_code_point(static_cast<std::uint32_t>(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)), out);
            return 12;
        }
    }
    if (code >= 0xD800 && code < 0xE000) {
        out += replacement;
    } else {
        append_code_point(static_cast<std::uint32_t>(code), out);
    }
    return 6;
}

struct Utf8Sequence {
    std::size_t size;  // of the valid sequence, or of the part of one that is to be replaced
    bool valid;
};

// At a byte above 127.
Utf8Sequence utf8_sequence(std::string_view text, std::size_t offset) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[offset + k]); };
    const unsigned char lead = byte(0);
    std::size_t size = 0;
    unsigned char low = 0x80;  // range of the second byte: no overlong forms, no surrogates, nothing above U+10FFFF
    unsigned char high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
        size = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        size = 3;
        if (lead == 0xE0) low = 0xA0;
        if (lead == 0xED) high = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        size = 4;
        if (lead == 0xF0) low = 0x90;
        if (lead == 0xF4) high = 0x8F;
    } else {
        return {1, false};
    }
    for (std::size_t k = 1; k < size; ++k) {
        if (offset + k >= text.size() || byte(k) < low || byte(k) > high) return {k, false};
        low = 0x80;
        high = 0xBF;
    }
    return {size, true};
}

}  // namespace

void append_valid_utf8(std::string_view text, std::string& out) {
    std::size_t offset = 0;
    while (offset < text.size()) {
        if (static_cast<signed char>(text[offset]) >= 0) {
            out.push_back(text[offset++]);
            continue;
        }
        const Utf8Sequence sequence = utf8_sequence(text, offset);
        out += sequence.valid ? text.substr(offset, sequence.size) : replacement;
        offset += sequence.size;
    }
}

void append_decoded(std::string_view raw, std::string& out) {
    std::size_t offset = 0;
    while (offset < raw.size()) {
        const std::size_t backslash = raw.find('\\', offset);
        if (backslash == std::string_view::npos) break;
        append_valid_utf8(raw.substr(offset, backslash - offset), out);
        const std::size_t taken = append_escape(raw, backslash, out);
        if (taken == 0) out.push_back('\\');
        offset = backslash + (taken == 0 ? 1 : taken);
    }
    append_valid_utf8(raw.substr(offset), out);
}

}  // namespace tilescope
