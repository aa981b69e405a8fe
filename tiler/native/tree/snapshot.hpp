// The state of an LMDB file after one of its transactions.
//
// Its first two pages are written in turns, each by every other transaction, and say where the tree of that transaction
// begins. Pages of a tree are never written again while it is one of the last two: transaction T + 1 takes pages that
// were given up by T - 1 or before, T + 2 those of T or before, and T + 3 may take the first that the tree of T has. So
// whatever was read of the tree of T is sound when the newest transaction is T + 1 at most after it was read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "files/read_only_file.hpp"

namespace tilescope::tree {

struct Snapshot {
    std::uint64_t transaction = 0;
    std::size_t page_size = 0;
    std::uint64_t last_page = 0;
    std::uint64_t root = 0;
    std::size_t depth = 0;  // of the tree; 0: it is empty
    std::uint64_t entries = 0;
};

// Returns the snapshot of a file that nobody writes any more: it must be whole, and both pages of transactions that
// followed each other. Throws FileDamage.
Snapshot settled_snapshot(const ReadOnlyFile& file);

// The newest of a file that is being written. Throws FileDamage.
Snapshot newest_snapshot(const ReadOnlyFile& file);

// True if what was read of a snapshot, of a file that is being written, was not written over meanwhile.
bool is_intact(const ReadOnlyFile& file, const Snapshot& snapshot);

}  // namespace tilescope::tree
