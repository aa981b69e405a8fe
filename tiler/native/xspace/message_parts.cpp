#include "xspace/message_parts.hpp"

#include <stdexcept>

#include "xspace/wire.hpp"

namespace tilescope {

namespace {

// Calls `take` with the cursor at each field of this number and type; the others are passed over.
template <typename Take>
void for_each_field(const Bytes& raw, Span<const std::int64_t> starts, Span<const std::int64_t> stops,
                    std::uint32_t tag, const Take& take) {
    if (starts.size() != stops.size()) throw std::invalid_argument("columns of different lengths");
    for (std::size_t k = 0; k < starts.size(); ++k) {
        if (starts[k] < 0 || stops[k] < starts[k] || static_cast<std::uint64_t>(stops[k]) > raw.size())
            throw std::invalid_argument("messages beyond the bytes that there are");
        wire::Cursor cursor(raw, {static_cast<std::size_t>(starts[k]), static_cast<std::size_t>(stops[k])}, "message");
        while (!cursor.at_end()) {
            const std::uint32_t next_tag = cursor.tag();
            if (next_tag == tag) take(k, cursor);
            else cursor.skip(next_tag);
        }
    }
}

}  // namespace

MessageParts message_parts(Bytes raw, Span<const std::int64_t> starts, Span<const std::int64_t> stops,
                           std::uint32_t field, std::size_t most) {
    MessageParts parts;
    for_each_field(raw, starts, stops, wire::bytes_field(field), [&](std::size_t k, wire::Cursor& cursor) {
        const wire::Range part = cursor.bytes("part");
        if (parts.message.size() >= most) throw std::length_error("too many parts");
        parts.message.push_back(static_cast<std::int64_t>(k));
        parts.start.push_back(static_cast<std::int64_t>(part.begin));
        parts.stop.push_back(static_cast<std::int64_t>(part.end));
    });
    return parts;
}

std::vector<std::int64_t> message_numbers(Bytes raw, Span<const std::int64_t> starts, Span<const std::int64_t> stops,
                                          std::uint32_t field) {
    std::vector<std::int64_t> numbers(starts.size());
    for_each_field(raw, starts, stops, wire::varint_field(field),
                   [&](std::size_t k, wire::Cursor& cursor) { numbers[k] = cursor.signed_varint(); });
    return numbers;
}

}  // namespace tilescope
