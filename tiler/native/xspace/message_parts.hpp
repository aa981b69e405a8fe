// Places of the parts of many messages: so that of a large message only those are parsed that somebody asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/span.hpp"

namespace tilescope {

// Parts: the message that each is in, by its place, and its bytes [start, stop).
struct MessageParts {
    std::vector<std::int64_t> message, start, stop;
};

// The parts that are a field of the messages [starts[k], stops[k]) of some bytes. Throws wire::Error for what is no message, and
// std::length_error when there are more than `most`.
MessageParts message_parts(Bytes raw, Span<const std::int64_t> starts, Span<const std::int64_t> stops,
                           std::uint32_t field, std::size_t most);

// Returns the number in a field of each message, the last of several; 0 without one.
std::vector<std::int64_t> message_numbers(Bytes raw, Span<const std::int64_t> starts, Span<const std::int64_t> stops,
                                          std::uint32_t field);

}  // namespace tilescope
