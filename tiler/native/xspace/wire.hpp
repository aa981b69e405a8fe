// A bounds-checked cursor over protobuf wire format.
//
// It knows nothing of schemas. Whatever the bytes are, it either advances inside its message or throws `Error`, which
// carries the absolute offset of the field that is wrong.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace tilescope::wire {

class Error : public std::runtime_error {
  public:
    Error(const std::string& what, std::size_t offset) : std::runtime_error(what), offset_(offset) {}
    std::size_t offset() const { return offset_; }

  private:
    std::size_t offset_;
};

// The file ends inside of what was read. The offset is that of the field that is not whole.
class CutShort : public Error {
  public:
    using Error::Error;
};

// More was found than there is memory for.
class LimitReached : public Error {
  public:
    using Error::Error;
};

// The whole file.
using Source = Bytes;

// Bytes [begin, end) of the file.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
};

inline Bytes part(const Source& source, Range range) { return source.subspan(range.begin, range.size()); }

inline std::string_view text(const Source& source, Range range) { return text_of(part(source, range)); }

// Has bytes fetched that will be read soon, as far as the file reaches: where one message says where the next one begins, and
// in its first bytes alone, the processor does not foresee it. Always inlined: gcc takes a function that only prefetches for
// one without effect, and leaves out its calls.
[[gnu::always_inline]] inline void fetch_ahead(const Source& source, std::size_t begin, std::size_t size) {
    constexpr std::size_t line_of_cache = 64;
    const std::size_t end = begin < source.size() ? begin + std::min(size, source.size() - begin) : begin;
    for (; begin < end; begin += std::min(line_of_cache, end - begin)) __builtin_prefetch(source.data() + begin);
}

// A field's number and wire type in one, as it lies on the wire.
constexpr std::uint32_t varint_field(std::uint32_t number) { return number << 3; }
constexpr std::uint32_t fixed64_field(std::uint32_t number) { return number << 3 | 1; }
constexpr std::uint32_t bytes_field(std::uint32_t number) { return number << 3 | 2; }
constexpr std::uint32_t field_number(std::uint32_t tag) { return tag >> 3; }

inline std::uint64_t eight_bytes(const std::uint8_t* p) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, sizeof(bytes));  // little-endian hosts only, as containers are
    return bytes;
}

// The number in the lowest seven bits of eight bytes, whose highest bits are not set.
inline std::uint64_t packed(std::uint64_t bytes) {
    bytes -= (bytes & 0x7f007f007f007f00U) >> 1;
    const std::uint64_t odd = bytes & 0x3fff00003fff0000U;
    bytes = bytes - odd + (odd >> 2);
    return (bytes & 0xfffffffU) | bytes >> 32 << 28;
}

// The highest bits of so many bytes: a varint has them all but the last one.
constexpr std::array<std::uint64_t, 9> highest_bits{
    0, 0x80, 0x8080, 0x808080, 0x80808080, 0x8080808080, 0x808080808080, 0x80808080808080, 0x8080808080808080};

// The varint at `p` as most are: it ends before `end`, and eight bytes from its first on there are bytes up to
// `file_end`. Returns where it ends, or null when it is not like that. How many bytes it has is not foreseen, so
// nothing branches on it.
inline const std::uint8_t* quick_varint(const std::uint8_t* p, const std::uint8_t* end, const std::uint8_t* file_end,
                                        std::uint64_t& value) {
    if (file_end - p < static_cast<std::ptrdiff_t>(sizeof(value))) return nullptr;
    const std::uint64_t bytes = eight_bytes(p);
    const std::uint64_t ends = ~bytes & highest_bits.back();
    if (ends == 0) return nullptr;
    const std::uint8_t* next = p + (__builtin_ctzll(ends) + 1) / 8;
    if (next > end) return nullptr;
    value = packed(bytes & (ends ^ (ends - 1)) & ~highest_bits.back());  // up to the first byte that ends it
    return next;
}

// The varint at `p`, of whose bytes eight can be read; null when it has more. Most have up to four: half of the steps
// then.
inline const std::uint8_t* readable_varint(const std::uint8_t* p, std::uint64_t& value) {
    const std::uint64_t bytes = eight_bytes(p);
    const std::uint32_t few_ends = ~static_cast<std::uint32_t>(bytes) & 0x80808080U;
    if (few_ends != 0) {
        std::uint32_t few = static_cast<std::uint32_t>(bytes) & (few_ends ^ (few_ends - 1)) & 0x7f7f7f7fU;
        few -= (few & 0x7f007f00U) >> 1;
        value = (few & 0x3fffU) | few >> 16 << 14;
        return p + (__builtin_ctz(few_ends) >> 3) + 1;
    }
    const std::uint64_t ends = ~bytes & highest_bits.back();
    if (ends == 0) return nullptr;
    value = packed(bytes & (ends ^ (ends - 1)) & ~highest_bits.back());
    return p + (__builtin_ctzll(ends) >> 3) + 1;
}

// True if eight bytes begin with a varint of `size` bytes, up to eight of them; not with one of none.
inline bool begins_with_varint(std::uint64_t bytes, std::size_t size) {
    if (size - 1 >= sizeof(bytes)) return false;
    return (bytes & highest_bits[size]) == highest_bits[size - 1];
}

// True if one varint lies at `p` and ends at `end`, told quickly: false where it has to be read with more care.
inline bool is_varint_up_to(const std::uint8_t* p, const std::uint8_t* end, const std::uint8_t* file_end) {
    if (file_end - p < static_cast<std::ptrdiff_t>(sizeof(std::uint64_t))) return false;
    return begins_with_varint(eight_bytes(p), static_cast<std::size_t>(end - p));
}

class Cursor {
  public:
    // `what` names the message in errors: "plane", "line". It must outlive the cursor.
    Cursor(const Source& source, Range range, const char* what)
        : source_(&source), position_(source.data() + range.begin), end_(source.data() + range.end), what_(what) {}

    // From `begin` to the end of the file, in the file itself or in a message that its end cuts short: here alone a length
    // that reaches too far means that the file was cut, and is `CutShort`.
    static Cursor to_file_end(const Source& source, std::size_t begin, const char* what) {
        Cursor cursor(source, {begin, source.size()}, what);
        cursor.outermost_ = true;
        return cursor;
    }

    bool at_end() const { return position_ == end_; }

    // The place where it is, the end of its message, and that of the file: for those who read quickly what most
    // messages are like.
    const std::uint8_t* here() const { return position_; }
    const std::uint8_t* end() const { return end_; }
    const std::uint8_t* file_end() const { return source_->end(); }

    // Goes on from `p`, which was read by somebody who knows that it lies in the message.
    void go_to(const std::uint8_t* p) { position_ = p; }

    std::size_t offset() const { return static_cast<std::size_t>(position_ - source_->data()); }
    const char* what() const { return what_; }

    std::uint64_t varint() {
        if (position_ != end_ && *position_ < 0x80) return *position_++;
        std::uint64_t value = 0;
        const std::uint8_t* next = long_varint(position_, end_, source_->end(), value);
        if (next == nullptr) fail_varint();
        position_ = next;
        return value;
    }

    std::int64_t signed_varint() { return static_cast<std::int64_t>(varint()); }

    // Eight bytes, as protobuf writes doubles.
    double fixed_double() {
        const std::uint8_t* begin = position_;
        skip_fixed(sizeof(double));
        std::uint64_t bits = 0;
        for (unsigned byte = 0; byte < sizeof(double); ++byte) bits |= std::uint64_t{begin[byte]} << (8 * byte);
        double value = 0;
        std::memcpy(&value, &bits, sizeof(value));
        return value;
    }

    // Number and wire type of the next field.
    std::uint32_t tag() {
        const std::uint8_t* begin = position_;
        const std::uint64_t tag = varint();
        if (tag < 8 || tag > 0xffffffffu) fail("has a field of number 0 or above 2**29", begin);
        return static_cast<std::uint32_t>(tag);
    }

    // A length-delimited payload, stepped over. `what` names it in errors.
    Range bytes(const char* what) {
        const std::uint8_t* begin = position_;
        const std::uint64_t size = varint();
        const auto left = static_cast<std::uint64_t>(end_ - position_);
        if (size > left) fail_length(what, size, left, begin);
        const std::size_t payload = offset();
        position_ += size;
        return {payload, offset()};
    }

    // The same; of a payload that the end of the file cuts short, what there is. `is_cut` says so.
    Range bytes_or_rest(const char* what, bool& is_cut) {
        const std::uint8_t* begin = position_;
        const std::uint64_t size = varint();
        is_cut = outermost_ && size > static_cast<std::uint64_t>(end_ - position_);
        if (!is_cut) {
            position_ = begin;
            return bytes(what);
        }
        const std::size_t payload = offset();
        position_ = end_;
        return {payload, offset()};
    }

    Cursor message(const char* what) { return Cursor(*source_, bytes(what), what); }

    // Steps over the value of a field that nobody wants.
    void skip(std::uint32_t tag) {
        switch (tag & 7) {
        case 0: varint(); return;
        case 1: skip_fixed(8); return;
        case 2: bytes("field"); return;
        case 3: skip_group(tag); return;
        case 5: skip_fixed(4); return;
        default: fail("has a field of a wire type that does not exist", position_);
        }
    }

    // A field that the schema does not know is skipped; one that it knows under another wire type is damage.
    void skip_unknown(std::uint32_t tag, std::uint32_t last_known_number) {
        if (field_number(tag) <= last_known_number) fail_type(tag);
        skip(tag);
    }

    [[noreturn]] void fail_type(std::uint32_t tag) const {
        fail("has field " + std::to_string(field_number(tag)) + " with the wrong wire type " + std::to_string(tag & 7),
             position_);
    }

  private:
    static constexpr std::size_t max_group_depth = 100;

    static constexpr std::ptrdiff_t max_varint_size = 10;

    // Returns where the varint ends, or null when it is cut or too long. Static, so that cursors can stay in registers.
    static const std::uint8_t* long_varint(const std::uint8_t* p, const std::uint8_t* end, const std::uint8_t* file_end,
                                           std::uint64_t& value) {
        if (const std::uint8_t* next = quick_varint(p, end, file_end, value)) return next;
        const std::uint8_t* limit = end - p > max_varint_size ? p + max_varint_size : end;
        std::uint64_t result = 0;
        for (unsigned shift = 0; p != limit; shift += 7) {
            const std::uint8_t byte = *p++;
            result |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) {
                value = result;
                return p;
            }
        }
        return nullptr;
    }

    [[noreturn]] void fail_varint() const {
        if (end_ - position_ < max_varint_size) fail_end(position_);
        fail("has a varint of more than 10 bytes", position_);
    }

    void skip_fixed(std::ptrdiff_t size) {
        if (end_ - position_ < size) fail_end(position_);
        position_ += size;
    }

    void skip_group(std::uint32_t tag) {
        std::array<std::uint32_t, max_group_depth> open{};
        std::size_t depth = 0;
        open[depth++] = field_number(tag);
        while (depth > 0) {
            const std::uint8_t* begin = position_;
            const std::uint32_t inner = this->tag();
            if ((inner & 7) == 3) {
                if (depth == max_group_depth) fail("has groups nested more than 100 deep", begin);
                open[depth++] = field_number(inner);
            } else if ((inner & 7) == 4) {
                if (field_number(inner) != open[--depth]) fail("has a group that ends as another", begin);
            } else {
                skip(inner);
            }
        }
    }

    // With its article.
    static std::string named(const std::string& what) { return (what[0] == 'e' ? "an " : "a ") + what; }

    [[noreturn]] void fail(const std::string& why, const std::uint8_t* where) const {
        throw Error(named(what_) + " " + why, static_cast<std::size_t>(where - source_->data()));
    }

    [[noreturn]] void fail_end(const std::uint8_t* where) const {
        if (outermost_)
            throw CutShort("the file ends inside a field of " + named(what_),
                           static_cast<std::size_t>(where - source_->data()));
        fail("ends inside a field", where);
    }

    [[noreturn]] void fail_length(const char* part, std::uint64_t size, std::uint64_t left,
                                  const std::uint8_t* where) const {
        const std::string sizes = ": " + std::to_string(left) + " of its " + std::to_string(size) + " bytes are there";
        if (outermost_)
            throw CutShort("the file ends inside " + named(part) + sizes,
                           static_cast<std::size_t>(where - source_->data()));
        fail("has " + named(part) + " that reaches beyond it" + sizes, where);
    }

    const Source* source_;
    const std::uint8_t* position_;
    const std::uint8_t* end_;
    const char* what_;
    bool outermost_ = false;
};

}  // namespace tilescope::wire
