// What metadata says, as rows of small numbers: what is equal has one row, and what lies there as it did before is not read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.hpp"
#include "base/span.hpp"
#include "columns/intern.hpp"
#include "xspace/stat_codes.hpp"

namespace tilescope {

// Bytes of each of some entries: those of entry k are data[ends[k-1]..ends[k]).
struct EntryBytes {
    Span<const std::int64_t> ends;
    Bytes data;

    // Those of one. Throws std::invalid_argument for an entry that is not there.
    Bytes at(std::int64_t place) const;
};

// The entries at some places of a page, each with the number of its name.
struct ChosenEntries {
    EntryBytes stats, texts;
    Span<const std::int64_t> at;
    Span<const std::int32_t> names;
};

// The code of what a reference names.
using CodeOfReference = std::function<std::int32_t(const SaidStat& reference)>;

// Writes the codes of the stats of some entries, row after row of `stride` numbers. Damaged stats say nothing.
void write_codes(StatCodes& codes, const StatChoice& choice, const CodeOfReference& of_reference,
                 const std::vector<wire::Source>& entries, std::int32_t* out, std::size_t stride);

class MetadataRows {
  public:
    // Throws std::invalid_argument for rows without columns.
    explicit MetadataRows(std::size_t width);

    // The place of each of some rows, which lie one after the other. Throws std::invalid_argument.
    std::vector<std::int64_t> add(Span<const std::int32_t> rows);

    // The place of the row of each of some entries: the number of its name, the code of its text, and those of its stats.
    // Throws std::invalid_argument.
    std::vector<std::int64_t> read(StatCodes& codes, const ChosenEntries& entries, const StatChoice& choice,
                                   const CodeOfReference& of_reference);

    std::size_t size() const { return places_.size(); }

    // Those from a place on, one after the other. Throws std::invalid_argument.
    std::vector<std::int32_t> rows(std::size_t first) const;

  private:
    struct Block;

    // Finds those of a block that were read before; the others are left.
    void recall(Block& block, const ChosenEntries& entries, std::size_t first, std::uint64_t choice);
    void keep(const Block& block);

    std::size_t width_;
    Interner places_;
    Interner seen_;  // entries as they lie in the file: choice, name, text and stats
    std::vector<std::int64_t> row_of_seen_;
};

}  // namespace tilescope
