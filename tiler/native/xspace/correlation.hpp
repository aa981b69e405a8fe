// Numbers of an XSpace that launches share with the work of devices: a stat of their events.
#pragma once

#include "base/span.hpp"
#include "columns/column.hpp"
#include "xspace/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::xspace {

// The correlations of events [first, stop) as keys, see trace_event/correlation.hpp: of the stat of one of these ids, which
// ascend. -1 where there is none. `ends`: where the arguments of each event end. Throws std::invalid_argument for events
// that there are not, and arguments that lie beyond the data.
Column<std::int64_t> correlation_keys(Span<const std::int64_t> ends, const wire::Source& args, std::size_t first,
                                      std::size_t stop, const std::vector<std::int64_t>& ids, bool is_on_device);

}  // namespace tilescope::xspace
