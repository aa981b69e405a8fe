#include "tree/file.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace tilescope::tree {

namespace {

// Branches that are kept, of a complete file: each leads to a hundred leaves, each of these to some megabytes of pages.
constexpr std::size_t kKeptBranches = 1024;

// No record is as large; a damaged size must not take the memory of a value that long.
constexpr std::size_t kMaxValueBytes = std::size_t{1} << 30;

// Before the pages of trees lie those of the snapshots.
constexpr std::uint64_t kMetaPages = 2;

// Pages that a value of that size takes, with the head of the first.
std::uint64_t run_pages(std::size_t size, std::size_t page_size) {
    return (kHeaderBytes + size + page_size - 1) / page_size;
}

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

}  // namespace

// A place in the tree: the pages from the root to a leaf, and in each the entry that leads on.
class Walk {
  public:
    Walk(const TreeFile& file, const Snapshot& snapshot) : file_(file), snapshot_(snapshot) {
        levels_.reserve(snapshot.depth);
    }

    // Goes to the last entry whose key is at most `key`; to none, which comes before all others, and false without one.
    bool to_last_at_most(std::string_view key) {
        levels_.clear();
        if (snapshot_.depth == 0) return false;
        while (levels_.size() < snapshot_.depth) {
            push();
            Level& level = levels_.back();
            const std::optional<std::size_t> entry_index = level.page->last_at_most(key);
            if (!entry_index) return back();  // in a leaf alone
            level.entry_index = *entry_index;
        }
        return true;
    }

    // One entry back: to the last of the leaf before. The walk is at its leaf's begin.
    bool back() {
        do {
            levels_.pop_back();
            if (levels_.empty()) return false;
        } while (levels_.back().entry_index == 0);
        --levels_.back().entry_index;
        while (levels_.size() < snapshot_.depth) {
            push();
            levels_.back().entry_index = levels_.back().page->entries() - 1;
        }
        return true;
    }

    // One entry on: false at the end. From before all others, to the first.
    bool on() {
        if (snapshot_.depth == 0) return false;
        if (!levels_.empty()) {
            while (++levels_.back().entry_index == levels_.back().page->entries()) {
                levels_.pop_back();
                if (levels_.empty()) return false;
            }
        }
        while (levels_.size() < snapshot_.depth) push();
        return true;
    }

    std::string_view key() const { return levels_.back().page->key(levels_.back().entry_index); }

    Entry entry() const {
        const Level& leaf = levels_.back();
        const Value value = leaf.page->value(leaf.entry_index);
        if (value.size < kChecksumBytes) throw FileDamage("a value is too short for its checksum", leaf.page->offset());
        if (!value.bytes) {
            if (value.size > kMaxValueBytes) throw FileDamage("the size of a value is damaged", leaf.page->offset());
            check_run(value.first_page, run_pages(value.size, snapshot_.page_size), leaf.page->offset());
        }
        return {std::string(key()), value, leaf.page};
    }

  private:
    struct Level {
        std::shared_ptr<const Page> page;
        std::size_t entry_index = 0;
        std::string_view low;  // what the branches above say of the keys
        std::optional<std::string_view> high;
    };

    // One level down, to the first entry of the page there.
    void push() {
        Level next;
        std::uint64_t number = snapshot_.root;
        std::uint64_t named_at = 0;
        if (!levels_.empty()) {
            const Level& above = levels_.back();
            named_at = above.page->offset();
            number = above.page->child(above.entry_index);
            next.low = above.entry_index == 0 ? above.low : above.page->key(above.entry_index);
            next.high =
                above.entry_index + 1 == above.page->entries() ? above.high : above.page->key(above.entry_index + 1);
        }
        check_run(number, 1, named_at);
        next.page = file_.page(snapshot_, number, levels_.size() + 1 == snapshot_.depth);
        next.page->check_bounds(next.low, next.high);
        levels_.push_back(std::move(next));
    }

    // Throws FileDamage for pages that the file does not have.
    void check_run(std::uint64_t first, std::uint64_t count, std::uint64_t named_at) const {
        if (first < kMetaPages || first > snapshot_.last_page || count > snapshot_.last_page - first + 1) {
            throw FileDamage("it names a page that is not in the file", named_at);
        }
    }

    const TreeFile& file_;
    const Snapshot& snapshot_;
    std::vector<Level> levels_;
};

TreeFile::TreeFile(int descriptor, bool growing) : file_(descriptor) {
    if (growing) {
        newest_snapshot(file_);
    } else {
        settle();
    }
}

void TreeFile::settle() {
    if (settled_) return;
    complete_ = settled_snapshot(file_);
    settled_ = true;
}

Snapshot TreeFile::snapshot() const { return settled_ ? complete_ : newest_snapshot(file_); }

bool TreeFile::is_intact(const Snapshot& snapshot) const {
    return settled_ ? complete_.transaction <= snapshot.transaction + 1 : tree::is_intact(file_, snapshot);
}

std::optional<Entry> TreeFile::find(const Snapshot& snapshot, std::string_view key) const {
    Walk walk(*this, snapshot);
    if (!walk.to_last_at_most(key) || walk.key() != key) return std::nullopt;
    return walk.entry();
}

std::optional<Entry> TreeFile::last_at_most(const Snapshot& snapshot, std::string_view key,
                                            std::string_view prefix) const {
    Walk walk(*this, snapshot);
    if (!walk.to_last_at_most(key) || !starts_with(walk.key(), prefix)) return std::nullopt;
    return walk.entry();
}

std::vector<Entry> TreeFile::scan(const Snapshot& snapshot, std::string_view first, std::string_view prefix,
                                  std::size_t limit, std::size_t max_bytes) const {
    std::vector<Entry> entries;
    Walk walk(*this, snapshot);
    bool is_there = (walk.to_last_at_most(first) && walk.key() == first) || walk.on();
    std::size_t bytes = 0;
    while (is_there && entries.size() < limit && bytes < max_bytes && starts_with(walk.key(), prefix)) {
        entries.push_back(walk.entry());
        bytes += entries.back().value.size;
        is_there = walk.on();
    }
    return entries;
}

std::uint32_t TreeFile::read(const Snapshot& snapshot, const Entry& entry, Span<std::uint8_t> to) const {
    const Value& value = entry.value;
    if (to.size() != value.size - kChecksumBytes)
        throw std::invalid_argument("the value does not fill the room for it");
    if (value.bytes) {
        const Bytes rest = value.bytes->subspan(kChecksumBytes);
        std::copy(rest.begin(), rest.end(), to.begin());
        return load<std::uint32_t>(*value.bytes, 0);
    }
    const std::uint64_t offset = value.first_page * snapshot.page_size;
    std::array<std::uint8_t, kHeaderBytes + kChecksumBytes> head{};
    file_.read(offset, head, to);
    const PageHeader header = read_header(head);
    if (header.number != value.first_page || header.flags != kOverflow ||
        header.run_pages < run_pages(value.size, snapshot.page_size)) {
        throw FileDamage("the pages of a value have a damaged head", offset);
    }
    return load<std::uint32_t>(head, kHeaderBytes);
}

std::shared_ptr<const Page> TreeFile::page(const Snapshot& snapshot, std::uint64_t number, bool leaf) const {
    const bool keeps = settled_ && !leaf;
    if (keeps) {
        const std::shared_lock lock(mutex_);
        const auto branch = branches_.find(number);
        if (branch != branches_.end()) return branch->second;
    }
    std::vector<std::uint8_t> bytes(snapshot.page_size);
    file_.read(number * snapshot.page_size, bytes);
    auto page = std::make_shared<const Page>(std::move(bytes), number);
    if (page->is_leaf() != leaf) throw FileDamage("a page is not of the level at which it lies", page->offset());
    if (keeps) {
        const std::unique_lock lock(mutex_);
        if (branches_.size() < kKeptBranches) branches_.emplace(number, page);
    }
    return page;
}

}  // namespace tilescope::tree
