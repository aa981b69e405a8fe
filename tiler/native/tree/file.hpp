// Reads an LMDB file without LMDB, which maps the file and trusts it: a damaged or shortened one would end the process.
//
// Everything is read by position and checked before it is used, so that whatever the file holds, a call gives what lies
// under a key or throws FileDamage. For several threads at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "files/read_only_file.hpp"
#include "tree/page.hpp"
#include "tree/snapshot.hpp"

namespace tilescope::tree {

// Size of the checksum with which our values begin. It is not looked at here.
constexpr std::size_t kChecksumBytes = sizeof(std::uint32_t);

// An entry that was found. Its value, which is at least a checksum long, has yet to be read.
struct Entry {
    std::string key;
    Value value;
    std::shared_ptr<const Page> page;  // on which it lies
};

class TreeFile {
  public:
    // Takes over the descriptor. `growing`: another process writes the file.
    TreeFile(int descriptor, bool growing);

    // The file is complete now, and stays as it is.
    void settle();

    // The state to be read, and whether what was read of it can be relied on.
    Snapshot snapshot() const;
    bool is_intact(const Snapshot& snapshot) const;

    // The entry of a key.
    std::optional<Entry> find(const Snapshot& snapshot, std::string_view key) const;

    // The entry with the greatest key that is at most `key`, if it begins with `prefix`.
    std::optional<Entry> last_at_most(const Snapshot& snapshot, std::string_view key, std::string_view prefix) const;

    // Entries from `first` on as long as keys begin with `prefix`: at most `limit`, and once their values together have
    // `max_bytes`, no more.
    std::vector<Entry> scan(const Snapshot& snapshot, std::string_view first, std::string_view prefix,
                            std::size_t limit, std::size_t max_bytes) const;

    // Reads the value of an entry but for its first bytes, which are returned: `to` has room for the others.
    std::uint32_t read(const Snapshot& snapshot, const Entry& entry, Span<std::uint8_t> to) const;

  private:
    friend class Walk;

    std::shared_ptr<const Page> page(const Snapshot& snapshot, std::uint64_t number, bool leaf) const;

    ReadOnlyFile file_;
    std::atomic<bool> settled_{false};
    Snapshot complete_;  // once it is settled
    mutable std::shared_mutex mutex_;
    mutable std::unordered_map<std::uint64_t, std::shared_ptr<const Page>> branches_;
};

}  // namespace tilescope::tree
