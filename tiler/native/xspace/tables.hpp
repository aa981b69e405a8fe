// Look-up tables of the catalogue: metadata by id, distinct names, numbers of flows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilescope::xspace {

// Metadata id → int32. Ids are nearly always small and dense; hashes and negative numbers exist.
class IdTable {
  public:
    static constexpr std::int32_t absent = -1;

    IdTable() = default;  // finds nothing, and takes whatever is set
    explicit IdTable(std::size_t expected) : dense_limit_(expected * 4 + 1024) {}

    std::int32_t find(std::int64_t id) const {
        const auto at = static_cast<std::uint64_t>(id);
        if (at < dense_.size()) return dense_[at];
        if (at < dense_limit_ || sparse_.empty()) return absent;
        const auto found = sparse_.find(id);
        return found == sparse_.end() ? absent : found->second;
    }

    void set(std::int64_t id, std::int32_t value) {
        const auto at = static_cast<std::uint64_t>(id);
        if (at >= dense_limit_) {
            sparse_[id] = value;
            return;
        }
        // Grown as it is needed: a file may have a million planes.
        if (at >= dense_.size())
            dense_.resize(std::min(dense_limit_, std::max<std::size_t>(at + 1, 2 * dense_.size())), absent);
        dense_[at] = value;
    }

  private:
    std::size_t dense_limit_ = 0;
    std::vector<std::int32_t> dense_;
    std::unordered_map<std::int64_t, std::int32_t> sparse_;
};

// Distinct names of a file, numbered in the order of their first use. Invalid UTF-8 is replaced first, so that the names are
// still distinct as text.
class DistinctNames {
  public:
    std::int32_t intern(std::string_view bytes);
    const std::deque<std::string>& names() const { return names_; }

  private:
    std::deque<std::string> names_;  // a deque: the map's keys point into it
    std::unordered_map<std::string_view, std::int32_t> index_;
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
