// Writes a plan as trace-event JSON: object form, one event per line, epoch microseconds with three decimals.
#pragma once

#include "synth_output.hpp"
#include "synth_plan.hpp"
#include "synth_totals.hpp"

namespace tilescope::synth {

Totals write_chrome(const Plan& plan, Output& output);

}  // namespace tilescope::synth
