// Texts that stats of metadata say, which events share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "columns/intern.hpp"

namespace tilescope::xspace {

// Stats that are texts or references, stat after stat.
struct SharedStats {
    std::vector<std::int64_t> entry;
    std::vector<std::int64_t> id;
    std::vector<std::int64_t> text;       // its number among all texts; -1 of a reference
    std::vector<std::int64_t> reference;  // id of the stat whose name it is
    std::vector<std::int64_t> strange;    // entries that have to be read with more care: none of their stats is here
};

class SharedTexts {
  public:
    // Adds the stats of an entry of metadata.
    void add(std::int64_t entry, Bytes message, SharedStats& stats);

    const Interner& texts() const { return texts_; }

  private:
    Interner texts_;
};

}  // namespace tilescope::xspace
