#include "tree/snapshot.hpp"

#include <array>
#include <optional>

#include "tree/page.hpp"

namespace tilescope::tree {

namespace {

constexpr std::uint32_t kMagic = 0xBEEFC0DE;
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
constexpr std::size_t kMaxDepth = 32;  // LMDB's own

// Where the fields of a meta page lie.
constexpr std::size_t kMagicAt = kHeaderBytes;
constexpr std::size_t kVersionAt = kMagicAt + 4;
constexpr std::size_t kPageSizeAt = kVersionAt + 20;  // the first field of the tree of free pages
constexpr std::size_t kTreeAt = kPageSizeAt + 48;     // that of records
constexpr std::size_t kTreeFlagsAt = kTreeAt + 4;
constexpr std::size_t kDepthAt = kTreeAt + 6;
constexpr std::size_t kEntriesAt = kTreeAt + 32;
constexpr std::size_t kRootAt = kTreeAt + 40;
constexpr std::size_t kLastPageAt = kTreeAt + 48;
constexpr std::size_t kTransactionAt = kLastPageAt + 8;
constexpr std::size_t kMetaBytes = kTransactionAt + 8;

using MetaPage = std::array<std::uint8_t, kMetaBytes>;

// Pages are written while they are read: they are read until they are twice the same. That is at once but for chance.
constexpr int kTries = 1000;

MetaPage read_meta(const ReadOnlyFile& file, std::uint64_t offset) {
    MetaPage page;
    file.read(offset, page);
    return page;
}

// What a meta page says. Throws FileDamage when that cannot be.
Snapshot parse(const MetaPage& page, std::uint64_t number, std::uint64_t offset) {
    const auto fail = [offset](const char* what, std::size_t at) { throw FileDamage(what, offset + at); };
    const PageHeader header = read_header(page);
    if (header.number != number || header.flags != kMeta) fail("this is no head of an index", 0);
    if (load<std::uint32_t>(page, kMagicAt) != kMagic) fail("this is no head of an index", kMagicAt);
    if (load<std::uint32_t>(page, kVersionAt) != kVersion) fail("the index is of an unknown version", kVersionAt);
    Snapshot found;
    found.page_size = load<std::uint32_t>(page, kPageSizeAt);
    const bool is_power = (found.page_size & (found.page_size - 1)) == 0;
    if (!is_power || found.page_size < kMinPageBytes || found.page_size > kMaxPageBytes) {
        fail("the size of the pages is damaged", kPageSizeAt);
    }
    found.transaction = load<std::uint64_t>(page, kTransactionAt);
    found.last_page = load<std::uint64_t>(page, kLastPageAt);
    found.entries = load<std::uint64_t>(page, kEntriesAt);
    found.root = load<std::uint64_t>(page, kRootAt);
    found.depth = load<std::uint16_t>(page, kDepthAt);
    if (load<std::uint16_t>(page, kTreeFlagsAt) != 0) fail("the kind of the tree is damaged", kTreeFlagsAt);
    if (found.depth > kMaxDepth) fail("the depth of the tree is damaged", kDepthAt);
    if ((found.root == kNoPage) != (found.depth == 0) || (found.depth == 0) != (found.entries == 0)) {
        fail("the root of the tree is damaged", kRootAt);
    }
    if (found.last_page > (kNoPage >> 1) / found.page_size - 1) fail("the number of pages is damaged", kLastPageAt);
    return found;
}

struct Snapshots {
    Snapshot even;
    Snapshot odd;
};

Snapshots read_both(const ReadOnlyFile& file) {
    const MetaPage first = read_meta(file, 0);
    const Snapshot even = parse(first, 0, 0);
    return {even, parse(read_meta(file, even.page_size), 1, even.page_size)};
}

}  // namespace

Snapshot settled_snapshot(const ReadOnlyFile& file) {
    const auto [even, odd] = read_both(file);
    if (even.page_size != odd.page_size) throw FileDamage("the two heads of the index differ in the size of pages", 0);
    const Snapshot& newest = odd.transaction > even.transaction ? odd : even;
    const Snapshot& before = odd.transaction > even.transaction ? even : odd;
    const bool in_turns = even.transaction % 2 == 0 && odd.transaction % 2 == 1;
    if (!in_turns || newest.transaction - before.transaction != 1) {
        throw FileDamage("the two heads of the index do not follow each other", 0);
    }
    const std::uint64_t needed = (newest.last_page + 1) * newest.page_size;
    const std::uint64_t size = file.size();
    if (size < needed) {
        throw FileDamage("the file ends here, it should have " + std::to_string(needed) + " bytes", size);
    }
    return newest;
}

Snapshot newest_snapshot(const ReadOnlyFile& file) {
    const std::size_t page_size = parse(read_meta(file, 0), 0, 0).page_size;
    for (int k = 0; k < kTries; ++k) {
        const MetaPage even = read_meta(file, 0);
        const MetaPage odd = read_meta(file, page_size);
        if (even != read_meta(file, 0) || odd != read_meta(file, page_size)) continue;
        const Snapshot a = parse(even, 0, 0);
        const Snapshot b = parse(odd, 1, page_size);
        return b.transaction > a.transaction ? b : a;
    }
    throw FileDamage("the heads of the index change all the time", 0);
}

bool is_intact(const ReadOnlyFile& file, const Snapshot& snapshot) {
    return newest_snapshot(file).transaction <= snapshot.transaction + 1;
}

}  // namespace tilescope::tree
