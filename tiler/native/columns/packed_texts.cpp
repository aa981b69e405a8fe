#include "columns/packed_texts.hpp"

#include <charconv>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "columns/varint.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tilescope {

namespace {

// Beyond these, texts are kept as they are: what does not repeat gains nothing.
constexpr std::size_t most_shapes = std::size_t{1} << 15;
constexpr std::size_t most_shape_bytes = std::size_t{8} << 20;

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

[[noreturn]] void refuse() { throw std::invalid_argument("packed texts are damaged"); }

}  // namespace

PackedTexts::PackedTexts() = default;
PackedTexts::~PackedTexts() = default;

std::unique_ptr<TextPacker> PackedTexts::lend() {
    {
        const std::scoped_lock lock(mutex_);
        if (!idle_.empty()) {
            std::unique_ptr<TextPacker> packer = std::move(idle_.back());
            idle_.pop_back();
            return packer;
        }
    }
    return std::make_unique<TextPacker>(*this);
}

void PackedTexts::take_back(std::unique_ptr<TextPacker> packer) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(packer));
}

std::int32_t PackedTexts::number_of(std::string_view shape) {
    const std::scoped_lock lock(mutex_);
    const bool full = shapes_.size() >= most_shapes || shapes_.bytes() + shape.size() > most_shape_bytes;
    return full ? shapes_.find(shape) : shapes_.intern(shape);
}

void PackedTexts::pack(Span<const std::int64_t> ends, Bytes data, Span<std::int64_t> packed_ends,
                       Column<char>& packed) {
    std::unique_ptr<TextPacker> packer = lend();
    const std::size_t begin = packed.size();
    std::int64_t before = 0;
    for (std::size_t k = 0; k < same_size(ends, packed_ends); ++k) {
        if (ends[k] < before) throw std::invalid_argument("ends decrease");
        packer->pack(
            text_of(data.subspan(static_cast<std::size_t>(before), static_cast<std::size_t>(ends[k] - before))),
            packed);
        packed_ends[k] = static_cast<std::int64_t>(packed.size() - begin);
        before = ends[k];
    }
    take_back(std::move(packer));
}

void TextPacker::pack(std::string_view text, Column<char>& packed) {
    if (text.empty()) return;
    if (begin(text.size()) && add(text) && end(packed)) return;
    packed.ensure(2 * kLongestVarint + text.size());
    put_varint(kTextAsItIs, packed);
    put_varint(text.size(), packed);
    packed.append_unchecked(text);
}

void TextPacker::pack_object(const std::vector<std::string_view>& members, Column<char>& packed) {
    if (members.empty()) return;
    std::size_t size = 1;
    for (const std::string_view member : members) size += member.size() + 1;
    if (pack_guessed(members, size, packed)) return;
    const auto packs = [&] {
        if (!begin(size)) return false;
        char before = '{';
        for (const std::string_view member : members) {
            add_mark(before);
            if (!add(member)) return false;
            before = ',';
        }
        add_mark('}');
        return end(packed);
    };
    if (packs()) {
        name_guess(members);
        return;
    }
    packed.ensure(2 * kLongestVarint + size);
    put_varint(kTextAsItIs, packed);
    put_varint(size, packed);
    char before = '{';
    for (const std::string_view member : members) {
        packed.push_unchecked(before);
        packed.append_unchecked(member);
        before = ',';
    }
    packed.push_unchecked('}');
}

// Where the members end in a text that was matched, and all before it is as it was with the one that it is like, the shape is, too.
bool TextPacker::pack_guessed(const std::vector<std::string_view>& members, std::size_t size, Column<char>& packed) {
    const std::string_view text = guess_.text();
    if (text.empty() || !guess_.is_matched() || guess_.number() < 0 || size > longest_text) return false;
    std::string_view before = guess_.before();
    if (before.size() + text.size() + 1 != size) return false;
    char mark = '{';
    for (const std::string_view member : members) {
        const std::size_t left = before.size();
        if (left == 0 || before[0] != mark) return false;
        const std::string_view part = member.substr(0, left - 1);
        if (before.substr(1, part.size()) != part) return false;
        before.remove_prefix(1 + part.size());
        mark = ',';
    }
    if (!before.empty() || members.back().data() + members.back().size() != text.data() + text.size()) return false;
    const Span<const std::uint64_t> values = guess_.values();
    packed.ensure((values.size() + 1) * kLongestVarint);
    put_varint(static_cast<std::uint64_t>(guess_.number()) + 1, packed);
    for (const std::uint64_t value : values) put_varint(value, packed);
    return true;
}

// Remembers the shape of members that end in a text that was matched or learned, if all numbers are in that text.
void TextPacker::name_guess(const std::vector<std::string_view>& members) {
    const std::string_view text = guess_.text();
    const std::string_view last = members.back();
    if (text.empty() || last.size() < text.size() || last.data() + last.size() != text.data() + text.size()) return;
    before_.clear();
    char mark = '{';
    for (const std::string_view member : members) {
        before_ += mark;
        before_ += member;
        mark = ',';
    }
    before_.resize(before_.size() - text.size());
    for (const char c : before_) {
        if (is_digit(c)) return;
    }
    guess_.name(before_, number_);
}

// Whether a text of that size has a shape: what is added then fits.
bool TextPacker::begin(std::size_t size) {
    shape_size_ = values_size_ = 0;
    return size <= longest_text;
}

// False for a text that has a mark in it already.
bool TextPacker::add(std::string_view text) {
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
        if (is_digit(*p)) {
            p = add_number(p, end);
        } else if (*p == kNumberMark) {
            return false;
        } else {
            add_mark(*p++);
        }
    }
    return true;
}

// `p` stands at a digit.
const char* TextPacker::add_number(const char* p, const char* end) {
    // Zeros before other digits belong to the shape: the value alone does not tell them.
    while (*p == '0' && end - p > 1 && is_digit(p[1])) add_mark(*p++);
    std::uint64_t value = 0;
    for (std::size_t digits = 0; digits < ShapeGuess::kMostDigits && p != end && is_digit(*p); ++digits, ++p) {
        value = 10 * value + static_cast<std::uint64_t>(*p - '0');
    }
    add_mark(kNumberMark);
    values_[values_size_++] = value;
    return p;
}

// False where there is no number for the shape.
bool TextPacker::end(Column<char>& packed) {
    number_ = number_of({shape_.data(), shape_size_});
    if (number_ < 0) return false;
    packed.ensure((values_size_ + 1) * kLongestVarint);
    put_varint(static_cast<std::uint64_t>(number_) + 1, packed);
    for (std::size_t k = 0; k < values_size_; ++k) put_varint(values_[k], packed);
    return true;
}

std::int32_t TextPacker::number_of(std::string_view shape) {
    const std::int32_t known = known_.find(shape);
    if (known >= 0) return numbers_[static_cast<std::size_t>(known)];
    const std::int32_t number = texts_.number_of(shape);
    if (number >= 0) {
        known_.intern(shape);
        numbers_.push_back(number);
    }
    return number;
}

void PackedTexts::unpack(Bytes packed, std::string& out) const {
    for (std::size_t at = 0; at < packed.size();) {
        const std::uint64_t shape = take_varint(packed, at);
        if (shape == kTextAsItIs) {
            const std::uint64_t size = take_varint(packed, at);
            if (size > packed.size() - at) refuse();
            out += text_of(packed.subspan(at, static_cast<std::size_t>(size)));
            at += static_cast<std::size_t>(size);
            continue;
        }
        if (shape > shapes_.size()) refuse();
        std::string_view rest = shapes_.at(static_cast<std::int32_t>(shape - 1));
        for (;;) {
            const std::size_t mark = rest.find(kNumberMark);
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
