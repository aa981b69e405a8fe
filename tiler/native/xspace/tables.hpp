// Look-up tables of the catalogue: metadata by id, numbers of flows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::xspace {

// Id → int32 of at least 0, by open addressing: an event is one look at one line of the cache.
class SparseIds {
  public:
    static constexpr std::int32_t absent = -1;

    std::int32_t find(std::int64_t id) const { return entries_.empty() ? absent : entries_[slot(id)].value; }

    // Returns what the id had before.
    std::int32_t set(std::int64_t id, std::int32_t value) {
        if (count_ * 4 >= entries_.size() * 3) grow();
        Entry& entry = entries_[slot(id)];
        if (entry.value == absent) ++count_;
        const std::int32_t before = entry.value;
        entry = {id, value};
        return before;
    }

  private:
    struct Entry {
        std::int64_t id = 0;
        std::int32_t value = absent;  // then it is free
    };

    std::size_t slot(std::int64_t id) const {
        auto hash = static_cast<std::uint64_t>(id);
        hash = (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15u;  // ids are often aligned
        hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u;
        hash ^= hash >> 32;
        const std::size_t mask = entries_.size() - 1;
        std::size_t index = static_cast<std::size_t>(hash) & mask;
        while (entries_[index].value != absent && entries_[index].id != id) index = (index + 1) & mask;
        return index;
    }
    void grow();

    std::vector<Entry> entries_;
    std::size_t count_ = 0;
};

// Metadata id → int32 of at least 0. Ids are nearly always dense, from 0 on or from a million on, and lie in pages of
// neighbours then, so that the ids of a plane stay in the cache: with a hash table each look was a miss, a fifth of what it
// takes to read a slice. Hashes and negative numbers exist.
class IdTable {
  public:
    static constexpr std::int32_t absent = SparseIds::absent;

    IdTable() = default;  // finds nothing, and takes whatever is set
    explicit IdTable(std::size_t expected)
        : max_directory_(expected * 4 + 16), pages_left_(expected * 4 / page_size + 16) {}

    std::int32_t find(std::int64_t id) const {
        const auto key = static_cast<std::uint64_t>(id);
        if (key / page_size < directory_.size()) {
            const std::int32_t value = pages_[directory_[key / page_size] * page_size + key % page_size];
            if (value != absent) return value;
        }
        return sparse_.find(id);
    }

    void set(std::int64_t id, std::int32_t value) {
        const auto key = static_cast<std::uint64_t>(id);
        if (std::int32_t* place = paged(key)) *place = value;
        else sparse_.set(id, value);
    }

  private:
    static constexpr std::size_t page_size = 64;

    // The place where an id has its value; null: not in a page, and it never will be.
    std::int32_t* paged(std::uint64_t key);

    std::size_t max_directory_ = 0, pages_left_ = 0;
    std::vector<std::uint32_t> directory_;  // of so many ids each the page; the first one is empty
    std::vector<std::int32_t> pages_;
    SparseIds sparse_;
};

// (type, id) of a flow that has no direct key → its number. Open addressing: a long trace has millions of flows.
class FlowTable {
  public:
    std::int64_t intern(std::uint64_t type, std::uint64_t id);

    // The number of a flow; -1 when it has none.
    std::int64_t find(std::uint64_t type, std::uint64_t id) const {
        return entries_.empty() ? -1 : entries_[slot(type, id)].number;
    }

  private:
    struct Entry {
        std::uint64_t type = 0;
        std::uint64_t id = 0;
        std::int64_t number = -1;  // -1: free
    };
    void grow();
    std::size_t slot(std::uint64_t type, std::uint64_t id) const;

    std::vector<Entry> entries_;
    std::int64_t count_ = 0;
};

}  // namespace tilescope::xspace
