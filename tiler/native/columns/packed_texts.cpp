#include "columns/packed_texts.hpp"

#include <charconv>
#include <cstring>
#include <stdexcept>

namespace tilescope {

namespace {

// Beyond these, texts are kept as they are: what does not repeat gains nothing.
constexpr std::size_t most_shapes = std::size_t{1} << 15;
constexpr std::size_t most_shape_bytes = std::size_t{8} << 20;
constexpr std::size_t longest_text = 2048;

constexpr char number_mark = '\0';
constexpr int most_digits = 18;  // of one number: the value fits whatever they are

constexpr std::uint64_t as_it_is = 0;  // in the place of a shape; shapes are counted from 1

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

void put_varint(std::uint64_t value, std::vector<std::uint8_t>& out) {
    while (value >= 0x80) {
        out.push_back(static_cast<std::uint8_t>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<std::uint8_t>(value));
}

[[noreturn]] void refuse() { throw std::invalid_argument("packed texts are damaged"); }

std::uint64_t take_varint(Bytes packed, std::size_t& at) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (at == packed.size()) refuse();
        const std::uint8_t byte = packed[at++];
        value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    refuse();
}

}  // namespace

void PackedTexts::pack(Span<const std::int64_t> ends, Bytes data, Span<std::int64_t> packed_ends,
                       std::vector<std::uint8_t>& packed) {
    const std::size_t begin = packed.size();
    std::int64_t before = 0;
    for (std::size_t k = 0; k < same_size(ends, packed_ends); ++k) {
        if (ends[k] < before) throw std::invalid_argument("ends decrease");
        pack_one(text_of(data.subspan(static_cast<std::size_t>(before), static_cast<std::size_t>(ends[k] - before))),
                 packed);
        packed_ends[k] = static_cast<std::int64_t>(packed.size() - begin);
        before = ends[k];
    }
}

void PackedTexts::pack_one(std::string_view text, std::vector<std::uint8_t>& packed) {
    if (text.empty()) return;
    std::int32_t shape = -1;
    if (text.size() <= longest_text && text.find(number_mark) == std::string_view::npos) {
        shape_.resize(text.size());
        numbers_.clear();
        char* out = shape_.data();  // a shape is never longer than its text
        const char* p = text.data();
        const char* end = p + text.size();
        while (p != end) {
            if (!is_digit(*p)) {
                *out++ = *p++;
                continue;
            }
            // Zeros before other digits belong to the shape: the value alone does not tell them.
            while (*p == '0' && end - p > 1 && is_digit(p[1])) *out++ = *p++;
            std::uint64_t value = 0;
            for (int digits = 0; digits < most_digits && p != end && is_digit(*p); ++digits, ++p) {
                value = 10 * value + static_cast<std::uint64_t>(*p - '0');
            }
            *out++ = number_mark;
            numbers_.push_back(value);
        }
        shape_.resize(static_cast<std::size_t>(out - shape_.data()));
        const bool full = shapes_.size() >= most_shapes || shapes_.bytes() + shape_.size() > most_shape_bytes;
        shape = full ? shapes_.find(shape_) : shapes_.intern(shape_);
    }
    if (shape < 0) {
        put_varint(as_it_is, packed);
        put_varint(text.size(), packed);
        packed.insert(packed.end(), text.begin(), text.end());
        return;
    }
    put_varint(static_cast<std::uint64_t>(shape) + 1, packed);
    for (const std::uint64_t number : numbers_) put_varint(number, packed);
}

void PackedTexts::unpack(Bytes packed, std::string& out) const {
    for (std::size_t at = 0; at < packed.size();) {
        const std::uint64_t shape = take_varint(packed, at);
        if (shape == as_it_is) {
            const std::uint64_t size = take_varint(packed, at);
            if (size > packed.size() - at) refuse();
            out += text_of(packed.subspan(at, static_cast<std::size_t>(size)));
            at += static_cast<std::size_t>(size);
            continue;
        }
        if (shape > shapes_.size()) refuse();
        std::string_view rest = shapes_.at(static_cast<std::int32_t>(shape - 1));
        for (;;) {
            const std::size_t mark = rest.find(number_mark);
            if (mark == std::string_view::npos) break;
            out.append(rest, 0, mark);
            char digits[20];
            const auto [end, error] = std::to_chars(digits, digits + sizeof digits, take_varint(packed, at));
            if (error != std::errc()) refuse();
            out.append(digits, end);
            rest.remove_prefix(mark + 1);
        }
        out += rest;
    }
}

}  // namespace tilescope
