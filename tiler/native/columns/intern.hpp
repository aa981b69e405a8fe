// Byte strings as small consecutive numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// Numbers are given in the order of first appearance. Open addressing over one arena of bytes: a look-up of a known name
// reads two cache lines.
class Interner {
  public:
    // Throws std::length_error beyond 2**31 - 1 distinct strings.
    std::int32_t intern(std::string_view text);

    // The number of the string; -1 when it has none.
    std::int32_t find(std::string_view text) const;

    // The hash of a string, the same in all tables.
    static std::uint64_t hash(std::string_view text);

    // The same. Memory is told to fetch where it will be looked up, by this hash.
    std::uint64_t expect(std::string_view text) const;
    void expect(std::uint64_t hash) const;
    std::int32_t intern(std::string_view text, std::uint64_t hash);
    std::int32_t find(std::string_view text, std::uint64_t hash) const;

    // All strings of another table, in its order: their numbers here, by number there.
    std::vector<std::int32_t> intern_all(const Interner& other);

    // Makes room for so many more strings, and for so many bytes of theirs.
    void reserve(std::size_t strings, std::size_t bytes);

    std::size_t size() const { return entries_.size(); }
    std::size_t bytes() const { return arena_.size(); }  // of all strings together
    std::string_view at(std::int32_t number) const;
    std::string_view all() const { return arena_; }  // one after the other

  private:
    struct Entry {
        std::uint64_t hash;
        std::size_t first;
        std::size_t size;
    };

    struct Slot {
        std::uint32_t tag;    // of the hash: keeps most of what collides from being compared
        std::int32_t number;  // -1: empty
    };

    std::size_t slot_of(std::string_view text, std::uint64_t hash) const;
    void grow(std::size_t slots);

    std::string arena_;
    std::vector<Entry> entries_;
    std::vector<Slot> slots_;  // a power of two of them
};

}  // namespace tilescope
