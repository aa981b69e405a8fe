// Arguments of a device's operations without what is told elsewhere: how long each took is in the record of its operation,
// and when it began is near to when the one before did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/span.hpp"
#include "xspace/wire.hpp"

namespace tilescope::xspace {

// The arguments of events, event k those of [ends[k-1], ends[k]).
struct ArgsColumn {
    std::vector<std::int64_t> ends;
    std::vector<std::uint8_t> args;
};

// Of some events: what is left of their arguments, and what restores what was taken out.
struct ThinArgs {
    ArgsColumn left;
    std::string taken;
};

// Takes out the stats of these ids (-1 none) that are integers as encoders write them: one that says how long the event took
// on the device, if `duration` says the same, and one that says when it began. Damaged arguments stay as they are. Event k
// has the arguments args[args_end[k-1]:args_end[k]], the first from `begin` on. Throws std::invalid_argument.
ThinArgs thin_args(Span<const std::int64_t> args_end, std::int64_t begin, const wire::Source& args,
                   Span<const std::int64_t> duration, std::int64_t duration_id, std::int64_t begin_id);

// The inverse. Throws std::invalid_argument for what `thin_args` did not make.
ArgsColumn whole_args(Span<const std::int64_t> left_end, const wire::Source& left, const wire::Source& taken,
                      Span<const std::int64_t> duration);

}  // namespace tilescope::xspace
