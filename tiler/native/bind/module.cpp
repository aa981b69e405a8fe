// The native module: registers what the bind_*.cpp files bind. They alone know Python.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace tilescope {
void bind_activity(nb::module_& m);
void bind_histogram(nb::module_& m);
void bind_map_guard(nb::module_& m);
void bind_order(nb::module_& m);
void bind_pairing(nb::module_& m);
void bind_prove(nb::module_& m);
void bind_prove_flows(nb::module_& m);
void bind_synth(nb::module_& m);
void bind_xspace(nb::module_& m);
void bind_pyramid(nb::module_& m);
void bind_trace_event(nb::module_& m);
void bind_tree(nb::module_& m);
}  // namespace tilescope

NB_MODULE(_native, m) {
    m.doc() = "Hot loops of tilescope.tiler.";
    tilescope::bind_activity(m);
    tilescope::bind_histogram(m);
    tilescope::bind_map_guard(m);
    tilescope::bind_order(m);
    tilescope::bind_pairing(m);
    tilescope::bind_prove(m);
    tilescope::bind_prove_flows(m);
    tilescope::bind_synth(m);
    tilescope::bind_xspace(m);
    tilescope::bind_pyramid(m);
    tilescope::bind_trace_event(m);
    tilescope::bind_tree(m);
}
