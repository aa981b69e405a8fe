#include "columns/packed_texts.hpp"

#include <charconv>
#include <stdexcept>
#include <utility>

#include "columns/varint.hpp"

namespace tilescope {

namespace {

// Beyond these, texts are kept as they are: what does not repeat gains nothing.
constexpr std::size_t most_shapes = std::size_t{1} << 15;
constexpr std::size_t most_shape_bytes = std::size_t{8} << 20;

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
    if (shape_.begin(text.size()) && shape_.add(text) && end(packed)) return;
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
        if (!shape_.begin(size)) return false;
        char before = '{';
        for (const std::string_view member : members) {
            shape_.add_mark(before);
            if (!shape_.add(member)) return false;
            before = ',';
        }
        shape_.add_mark('}');
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

// Packs a text whose shape was matched: if the members end in it, and all before it is as it was with the one that it
// is like, the shape of both is the same. False if not.
bool TextPacker::pack_guessed(const std::vector<std::string_view>& members, std::size_t size, Column<char>& packed) {
    const std::string_view text = guess_.text();
    if (text.empty() || !guess_.is_matched() || guess_.number() < 0 || size > TextShape::kLongestText) return false;
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

// False where there is no number for the shape.
bool TextPacker::end(Column<char>& packed) {
    number_ = number_of(shape_.text());
    if (number_ < 0) return false;
    const Span<const std::uint64_t> values = shape_.values();
    packed.ensure((values.size() + 1) * kLongestVarint);
    put_varint(static_cast<std::uint64_t>(number_) + 1, packed);
    for (const std::uint64_t value : values) put_varint(value, packed);
    return true;
}

std::int32_t TextPacker::number_of(std::string_view shape) {
    const std::int32_t position = packed_shapes_.find(shape);
    if (position >= 0) return numbers_[static_cast<std::size_t>(position)];
    const std::int32_t number = texts_.number_of(shape);
    if (number >= 0) {
        packed_shapes_.intern(shape);
        numbers_.push_back(number);
    }
    return number;
}

void PackedTexts::unpack(Bytes packed, std::string& out) const {
    for (std::size_t offset = 0; offset < packed.size();) {
        const std::uint64_t shape = take_varint(packed, offset);
        if (shape == kTextAsItIs) {
            const std::uint64_t size = take_varint(packed, offset);
            if (size > packed.size() - offset) refuse();
            out += text_of(packed.subspan(offset, static_cast<std::size_t>(size)));
            offset += static_cast<std::size_t>(size);
            continue;
        }
        if (shape > shapes_.size()) refuse();
        std::string_view rest = shapes_.at(static_cast<std::int32_t>(shape - 1));
        for (;;) {
            const std::size_t mark = rest.find(kNumberMark);
            if (mark == std::string_view::npos) break;
            out.append(rest, 0, mark);
            char digits[20];
            const auto [end, error] = std::to_chars(digits, digits + sizeof digits, take_varint(packed, offset));
            if (error != std::errc()) refuse();
            out.append(digits, end);
            rest.remove_prefix(mark + 1);
        }
        out += rest;
    }
}

}  // namespace tilescope
