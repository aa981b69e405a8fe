// Stats of entries of metadata, before they have codes: read without a look at any table, so that several threads may
// do it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.hpp"
#include "xspace/stat_codes.hpp"

namespace tilescope {

// The code of what a reference names, by its id.
using CodeOfReference = std::function<std::int32_t(std::uint64_t reference)>;

// Values of chosen stats of some entries; before them, if there are texts, those. Damaged stats have none. The bytes
// must stay where they are.
class EntryStats {
  public:
    EntryStats(const std::vector<Bytes>& stats, const StatChoice& choice);
    EntryStats(const std::vector<Bytes>& texts, const std::vector<Bytes>& stats, const StatChoice& choice);

    std::size_t size() const { return size_; }
    std::size_t width() const { return width_; }

    // Writes the codes of some entries from `first` on, row after row of `stride` numbers. Throws std::invalid_argument.
    void write_codes(StatCodes& codes, const CodeOfReference& of_reference, std::size_t first, std::size_t count,
                     std::int32_t* out, std::size_t stride) const;

  private:
    EntryStats(const std::vector<Bytes>* texts, const std::vector<Bytes>& stats, const StatChoice& choice);

    std::size_t size_;
    std::size_t width_;
    std::vector<HashedStat> values_;  // entry after entry
};

}  // namespace tilescope
