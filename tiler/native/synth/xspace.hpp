// Writes a plan as an XSpace, with the planes, lines and stats that a capture on accelerators has.
#pragma once

#include "synth/output.hpp"
#include "synth/plan.hpp"
#include "synth/totals.hpp"

namespace tilescope::synth {

// A message carries its length in front. To stream with bounded memory, the events are generated twice: once to measure.
Totals write_xspace(const Plan& plan, Output& output);

}  // namespace tilescope::synth
