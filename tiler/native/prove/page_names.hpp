// Holds the names that are listed for a page against its content.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/span.hpp"
#include "prove/container.hpp"

namespace tilescope {

// A name that starts in a leaf of the page and is not listed, or the other way round; none: they are the same. `listed`
// ascends, each name once. Throws WrongRecord.
std::optional<int64_t> unlisted_name(Bytes page, Span<const int64_t> listed);

}  // namespace tilescope
