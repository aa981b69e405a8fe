// A branch or a leaf of an LMDB tree, checked as a whole before anything is taken from it.
//
// On disk (LMDB 0.9, 64 bits, little-endian): number u64, pad u16, flags u16, lower u16, upper u16, then from byte 16 to
// `lower` the offsets u16 of the entries, which lie between `upper` and the end. An entry is u16 low, u16 high, u16 flags,
// u16 length of the key, and the key. In a leaf low and high are the size of the value, which follows, or of which the
// page number u64 follows when it is large; in a branch low, high and flags are the number of the child.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace tilescope::tree {

// Size of the head of every page, behind which the values of pages of their own begin.
constexpr std::size_t kHeaderBytes = 16;

// The largest page that offsets of 16 bits reach, as LMDB has it, and the smallest that makes sense.
constexpr std::size_t kMaxPageBytes = 32768;
constexpr std::size_t kMinPageBytes = 512;

enum PageFlag : std::uint16_t { kBranch = 1, kLeaf = 2, kOverflow = 4, kMeta = 8 };

struct PageHeader {
    std::uint64_t number;
    std::uint16_t flags;
    std::uint16_t lower;
    std::uint16_t upper;
    std::uint32_t run_pages;  // in place of lower and upper, of values on pages of their own
};

// A number in the bytes of a page. Throws std::out_of_range where it is not whole in them.
template <typename T>
T load(Bytes bytes, std::size_t offset) {
    T value;
    std::memcpy(&value, bytes.subspan(offset, sizeof value).data(), sizeof value);
    return value;
}

PageHeader read_header(Bytes bytes);

// A value lies in the leaf, or from a page of its own on.
struct Value {
    std::size_t size = 0;
    std::optional<Bytes> bytes;  // in the leaf
    std::uint64_t first_page = 0;  // else
};

class Page {
  public:
    // Throws FileDamage, with the offset of what is wrong, unless it is a sound branch or leaf of that number.
    Page(std::vector<std::uint8_t> bytes, std::uint64_t number);

    bool is_leaf() const { return is_leaf_; }
    std::size_t entries() const { return entries_; }
    std::uint64_t offset() const { return offset_; }

    // Keys ascend. That of a branch's first entry says nothing: it is empty here.
    std::string_view key(std::size_t k) const;
    std::uint64_t child(std::size_t k) const;  // of a branch
    Value value(std::size_t k) const;  // of a leaf

    // The last entry whose key is at most `wanted`; in a branch there always is one.
    std::optional<std::size_t> last_at_most(std::string_view wanted) const;

    // Throws FileDamage unless all keys are at least `low` and less than `high`, as the branch above has it.
    void check_bounds(std::string_view low, const std::optional<std::string_view>& high) const;

  private:
    Bytes entry(std::size_t k) const;  // and all behind it
    void check_entry(std::size_t k) const;
    [[noreturn]] void fail(const char* what, std::size_t offset_in_page = 0) const;

    std::vector<std::uint8_t> bytes_;
    std::uint64_t offset_;
    std::size_t entries_ = 0;
    std::size_t upper_ = 0;
    bool is_leaf_ = false;
};

}  // namespace tilescope::tree
