#include "tree/page.hpp"

#include <string>
#include <utility>

#include "files/read_only_file.hpp"

namespace tilescope::tree {

namespace {

constexpr std::size_t kEntryHeaderBytes = 8;
constexpr std::uint16_t kValueElsewhere = 1;  // flag of an entry: its value is on pages of its own

std::uint32_t low_and_high(Bytes entry) {
    return load<std::uint16_t>(entry, 0) | static_cast<std::uint32_t>(load<std::uint16_t>(entry, 2)) << 16;
}

std::uint16_t entry_flags(Bytes entry) { return load<std::uint16_t>(entry, 4); }

std::uint16_t key_size(Bytes entry) { return load<std::uint16_t>(entry, 6); }

}  // namespace

PageHeader read_header(Bytes bytes) {
    return {load<std::uint64_t>(bytes, 0), load<std::uint16_t>(bytes, 10), load<std::uint16_t>(bytes, 12),
            load<std::uint16_t>(bytes, 14), load<std::uint32_t>(bytes, 12)};
}

Page::Page(std::vector<std::uint8_t> bytes, std::uint64_t number)
    : bytes_(std::move(bytes)), offset_(number * bytes_.size()) {
    const PageHeader header = read_header(bytes_);
    if (header.number != number) fail("a page has the number of another");
    if (header.flags != kBranch && header.flags != kLeaf) fail("a page is neither branch nor leaf", 10);
    is_leaf_ = header.flags == kLeaf;
    upper_ = header.upper;
    if (header.lower <= kHeaderBytes || header.lower % 2 != 0 || header.lower > upper_ || upper_ > bytes_.size()) {
        fail("the bounds of a page are damaged", 12);
    }
    entries_ = (header.lower - kHeaderBytes) / 2;
    for (std::size_t k = 0; k < entries_; ++k) {
        check_entry(k);
        if (k > (is_leaf_ ? 0U : 1U) && !(key(k - 1) < key(k)))
            fail("the keys of a page are out of order", kHeaderBytes + 2 * k);
    }
}

std::string_view Page::key(std::size_t k) const {
    if (!is_leaf_ && k == 0) return {};
    const Bytes entry_bytes = entry(k);
    return text_of(entry_bytes.subspan(kEntryHeaderBytes, key_size(entry_bytes)));
}

std::uint64_t Page::child(std::size_t k) const {
    const Bytes entry_bytes = entry(k);
    return low_and_high(entry_bytes) | static_cast<std::uint64_t>(entry_flags(entry_bytes)) << 32;
}

Value Page::value(std::size_t k) const {
    const Bytes entry_bytes = entry(k);
    const std::size_t size = low_and_high(entry_bytes);
    const Bytes behind_key = entry_bytes.subspan(kEntryHeaderBytes + key_size(entry_bytes));
    if (entry_flags(entry_bytes) == kValueElsewhere) return {size, std::nullopt, load<std::uint64_t>(behind_key, 0)};
    return {size, behind_key.first(size), 0};
}

std::optional<std::size_t> Page::last_at_most(std::string_view wanted) const {
    std::size_t first = 0;  // entries before are at most `wanted`
    std::size_t stop = entries_;
    while (first < stop) {
        const std::size_t middle = first + (stop - first) / 2;
        if (key(middle) <= wanted) {
            first = middle + 1;
        } else {
            stop = middle;
        }
    }
    if (first == 0) return std::nullopt;
    return first - 1;
}

void Page::check_bounds(std::string_view low, const std::optional<std::string_view>& high) const {
    const std::size_t first = is_leaf_ ? 0 : 1;
    if (first >= entries_) return;
    if (key(first) < low || (high && !(key(entries_ - 1) < *high))) fail("the keys of a page belong elsewhere");
}

Bytes Page::entry(std::size_t k) const {
    return Bytes(bytes_).subspan(load<std::uint16_t>(bytes_, kHeaderBytes + 2 * k));
}

void Page::check_entry(std::size_t k) const {
    const std::size_t slot = kHeaderBytes + 2 * k;
    const std::size_t offset_in_page = load<std::uint16_t>(bytes_, slot);
    if (offset_in_page < upper_ || offset_in_page > bytes_.size() - kEntryHeaderBytes)
        fail("an entry of a page lies outside of it", slot);
    const Bytes entry = Bytes(bytes_).subspan(offset_in_page);
    std::size_t needed = key_size(entry);
    if (is_leaf_) {
        const std::uint16_t flags = entry_flags(entry);
        if (flags != 0 && flags != kValueElsewhere) fail("an entry of a page is of an unknown kind", offset_in_page);
        if (needed == 0) fail("an entry of a page has no key", offset_in_page);
        needed += flags == kValueElsewhere ? sizeof(std::uint64_t) : low_and_high(entry);
    }
    if (needed > bytes_.size() - kEntryHeaderBytes - offset_in_page)
        fail("an entry of a page reaches beyond it", offset_in_page);
}

void Page::fail(const char* what, std::size_t offset_in_page) const {
    throw FileDamage(what, offset_ + offset_in_page);
}

}  // namespace tilescope::tree
