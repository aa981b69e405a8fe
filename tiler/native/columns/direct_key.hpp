// Keys of async slices and of flows: nearly all of them are made of a small number and an id, and need no table.
#pragma once

#include <cstdint>
#include <optional>

namespace tilescope {

// A key is a space, which says what its ids are compared with, and an id; or, with this bit, the number of a text in a table.
constexpr std::int64_t kTableKey = std::int64_t{1} << 62;
constexpr unsigned kKeyIdBits = 48;
constexpr std::uint64_t kKeySpaces = std::uint64_t{1} << 14;

// None: it needs a table.
inline std::optional<std::int64_t> direct_key(std::uint64_t space, std::uint64_t id) {
    if (space >= kKeySpaces || id >> kKeyIdBits != 0) return std::nullopt;
    return static_cast<std::int64_t>(space << kKeyIdBits | id);
}

}  // namespace tilescope
