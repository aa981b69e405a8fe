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

// Offsets of the fields of a meta page.
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

// Returns the snapshot that a meta page describes. Throws FileDamage when that cannot be.
Snapshot parse(const MetaPage& page, std::uint64_t number, std::uint64_t offset) {
    const auto fail = [offset](const char* what, std::size_t field) { throw FileDamage(what, offset + field); };
    const PageHeader header = read_header(page);
    if (header.number != number || header.flags != kMeta) fail("this is no head of an index", 0);
    if (load<std::uint32_t>(page, kMagicAt) != kMagic) fail("this is no head of an index", kMagicAt);
    if (load<std::uint32_t>(page, kVersionAt) != kVersion) fail("the index is of an unknown version", kVersionAt);
    Snapshot snapshot;
    snapshot.page_size = load<std::uint32_t>(page, kPageSizeAt);
    const bool is_power = (snapshot.page_size & (snapshot.page_size - 1)) == 0;
    if (!is_power || snapshot.page_size < kMinPageBytes || snapshot.page_size > kMaxPageBytes) {
        fail("the size of the pages is damaged", kPageSizeAt);
    }
    snapshot.transaction = load<std::uint64_t>(page, kTransactionAt);
    snapshot.last_page = load<std::uint64_t>(page, kLastPageAt);
    snapshot.entries = load<std::uint64_t>(page, kEntriesAt);
    snapshot.root = load<std::uint64_t>(page, kRootAt);
    snapshot.depth = load<std::uint16_t>(page, kDepthAt);
    if (load<std::uint16_t>(page, kTreeFlagsAt) != 0) fail("the kind of the tree is damaged", kTreeFlagsAt);
    if (snapshot.depth > kMaxDepth) fail("the depth of the tree is damaged", kDepthAt);
    if ((snapshot.root == kNoPage) != (snapshot.depth == 0) || (snapshot.depth == 0) != (snapshot.entries == 0)) {
        fail("the root of the tree is damaged", kRootAt);
    }
    if (snapshot.last_page > (kNoPage >> 1) / snapshot.page_size - 1)
        fail("the number of pages is damaged", kLastPageAt);
    return snapshot;
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
