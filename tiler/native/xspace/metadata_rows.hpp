// Metadata as rows of small numbers: what is equal has one row, and what lies there as it did before is not read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/bytes.hpp"
#include "base/span.hpp"
#include "columns/intern.hpp"
#include "xspace/entry_stats.hpp"
#include "xspace/stat_codes.hpp"

namespace tilescope {

// Bytes of each of some entries: those of entry k are data[ends[k-1]..ends[k]).
struct EntryBytes {
    Span<const std::int64_t> ends;
    Bytes data;

    // The bytes of the entries at some places. Throws std::invalid_argument for an entry that is not there.
    std::vector<Bytes> at(Span<const std::int64_t> places) const;
};

class ReadEntries;

// Entries that have rows, by their names: hosts that run one program have the same, though not at the same places.
class SeenEntries {
  public:
    // The row of an entry that is alike; -1: none is known.
    std::int64_t find(std::int32_t name, std::uint64_t choice, Bytes stats, Bytes text) const;

    // Adds those of some entries that are new, and have these rows now. Throws std::invalid_argument.
    void add(const ReadEntries& entries, Span<const std::int32_t> names, Span<const std::int64_t> rows);

  private:
    struct Kept {
        std::uint64_t choice = 0;  // which stats are read of it
        Bytes stats, text;  // somebody keeps them
        std::int64_t row = -1;
        std::int32_t before = -1;  // of the same name, -1 none
    };

    std::deque<Kept> kept_;
    std::vector<std::int32_t> last_;  // by name, -1 none
};

// Values of the stats of some entries, as far as these have no rows yet. The bytes must stay where they are.
class ReadEntries {
  public:
    // A name is -1 where no event uses it. Throws std::invalid_argument for columns of different lengths.
    ReadEntries(std::vector<Bytes> stats, std::vector<Bytes> texts, Span<const std::int32_t> names,
                const StatChoice& choice, const SeenEntries& seen);

    bool are_all_seen() const { return stats_.empty(); }

  private:
    friend class MetadataRows;
    friend class SeenEntries;

    // The rows of those that were seen; the others are left.
    std::vector<std::int64_t> seen_rows(Span<const std::int32_t> names, const SeenEntries& seen);

    std::uint64_t choice_;
    std::vector<Bytes> stats_, texts_;  // of those that are left
    std::vector<std::int64_t> rows_;  // -1: the entry is left
    EntryStats stat_values_;
};

class MetadataRows {
  public:
    // Throws std::invalid_argument for rows without columns.
    explicit MetadataRows(std::size_t width);

    // The place of each of some rows, which lie one after the other. Throws std::invalid_argument.
    std::vector<std::int64_t> add(Span<const std::int32_t> rows);

    // The place of the row of each of some entries: the number of its name, and the codes of what it says. Throws
    // std::invalid_argument.
    std::vector<std::int64_t> add(StatCodes& codes, const ReadEntries& entries, Span<const std::int32_t> names,
                                  const CodeOfReference& of_reference);

    // Makes room for so many more rows.
    void reserve(std::size_t rows) { places_.reserve(rows, rows * width_ * sizeof(std::int32_t)); }

    std::size_t size() const { return places_.size(); }

    // The rows from a place on, one after the other. Throws std::invalid_argument.
    std::vector<std::int32_t> rows(std::size_t first) const;

  private:
    std::size_t width_;
    Interner places_;
};

}  // namespace tilescope
