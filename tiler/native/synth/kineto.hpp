// Writes a plan as trace-event JSON in the manner of PyTorch's profiler.
#pragma once

#include "synth/output.hpp"
#include "synth/plan.hpp"
#include "synth/totals.hpp"

namespace tilescope::synth {

// Step by step, threads and streams by turns, so that the events of a track lie all over the file.
Totals write_kineto(const Plan& plan, Output& output);

}  // namespace tilescope::synth
