// Writes a plan as trace-event JSON: object form, one event per line, epoch microseconds with three decimals.
#pragma once

#include "synth/output.hpp"
#include "synth/plan.hpp"
#include "synth/totals.hpp"

namespace tilescope::synth {

Totals write_chrome(const Plan& plan, Output& output);

}  // namespace tilescope::synth
