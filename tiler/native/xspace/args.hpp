// Arguments of XSpace events, as columns hold them: a varint, the number of the event's metadata, then its `stats` fields.
#pragma once

#include "xspace/wire.hpp"

#include <cstdint>
#include <vector>

namespace tilescope::xspace {

// The integer that the stat of one of these ids has in the arguments, which are the whole source; `absent` where there is
// none. The last one counts. Throws wire::Error.
std::int64_t integer_stat(const wire::Source& args, const std::vector<std::int64_t>& ids, std::int64_t absent);

}  // namespace tilescope::xspace
