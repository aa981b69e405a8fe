// Binds the generator of synthetic traces.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "synth/chrome.hpp"
#include "synth/kineto.hpp"
#include "synth/output.hpp"
#include "synth/plan.hpp"
#include "synth/xspace.hpp"

namespace nb = nanobind;

namespace {

using namespace tilescope::synth;

Format format_of(const std::string& name) {
    if (name == "xspace") return Format::xspace;
    if (name == "chrome") return Format::chrome;
    throw std::invalid_argument("unknown format: " + name);
}

// The name of each track, and how many events of which kind it has.
using Rows = nb::typed<nb::list, nb::typed<nb::dict, std::string, std::variant<std::string, int>>>;
// Takes bytes, and how many events there were so far.
using Write = nb::typed<nb::callable, void(nb::bytes, int)>;

Rows as_list(const Plan& plan, const Totals& totals) {
    nb::list rows;
    for (std::size_t k = 0; k < totals.size(); ++k) {
        const PlannedTrack& track = plan.tracks()[k];
        nb::dict row;
        row["process"] = plan.processes()[track.process].name;
        row["name"] = track.name;
        row["events"] = totals[k].events();
        row["slices"] = totals[k].slices;
        row["instants"] = totals[k].instants;
        row["counter_samples"] = totals[k].counter_samples;
        row["async_slices"] = totals[k].async_slices;
        row["flow_ends"] = totals[k].flow_ends;
        row["busy_ps"] = totals[k].busy_ps;
        rows.append(row);
    }
    return rows;
}

Rows synth_trace(const std::string& format, std::uint64_t events, std::uint64_t tracks, std::uint64_t seed,
                 bool realistic, const Write& write) {
    if (tracks == 0) throw std::invalid_argument("a trace has at least one track");
    const Plan plan({format_of(format), events, tracks, seed, realistic});
    Totals totals;
    {
        const tilescope::Unlocked unlocked;
        Output output([&write](std::string_view bytes, std::uint64_t events_so_far) {
            nb::gil_scoped_acquire acquire;
            write(tilescope::to_bytes(bytes), events_so_far);
        });
        totals = plan.format() == Format::xspace ? write_xspace(plan, output)
                 : plan.kineto()                 ? write_kineto(plan, output)
                                                 : write_chrome(plan, output);
        output.flush();
    }
    return as_list(plan, totals);
}

}  // namespace

void tilescope::bind_synth(nb::module_& m) {
    m.def("synth_trace", &synth_trace, nb::arg("format"), nb::arg("events"), nb::arg("tracks"), nb::arg("seed"),
          nb::arg("realistic"), nb::arg("write"),
          "Generates a trace and hands it to write(bytes, events_so_far) in pieces. Returns the totals of each track.");
}
