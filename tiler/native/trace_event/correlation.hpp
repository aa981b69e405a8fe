// The number that joins what a host launched to what a device ran, where the trace has no flow for it: `args.correlation`.
#pragma once

#include <cstdint>

#include "trace_event/fields.hpp"

namespace tilescope {

// The key of a slice that has such a number: -2 - (2 * number + (of a device ? 1 : 0)), so that it is no key of a flow. -1 where
// it has none, or is neither a launch nor work of a device by its category. Numbers below 1, and from 2**61 on, are none.
std::int64_t correlation_key(const EventFields& event);

}  // namespace tilescope
