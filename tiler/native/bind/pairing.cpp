// Python's door to pairing.hpp, async_homes.hpp, flow_join.hpp and enclosing.hpp.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "bind/arrays.hpp"
#include "columns/async_homes.hpp"
#include "columns/flow_join.hpp"
#include "columns/pairing.hpp"
#include "pyramid/enclosing.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

nb::tuple pair(InColumn<std::int64_t> time, InColumn<std::int64_t> duration, InColumn<std::uint8_t> phase,
               InColumn<std::int32_t> name, std::optional<InColumn<std::int64_t>> key, std::int64_t trace_end) {
    const std::size_t size = time.size();
    if (duration.size() != size || phase.size() != size || name.size() != size || (key && key->size() != size)) {
        throw std::invalid_argument("the columns differ in length");
    }
    const PairingInput input{
        size, time.data(), duration.data(), phase.data(), name.data(), key ? key->data() : nullptr, trace_end};
    PairedColumns paired;
    {
        nb::gil_scoped_release release;
        paired = pair_slices(input);
    }
    return nb::make_tuple(to_numpy(std::move(paired.start)), to_numpy(std::move(paired.duration)),
                          to_numpy(std::move(paired.name)), to_numpy(std::move(paired.source)),
                          to_numpy(std::move(paired.end_source)), to_numpy(std::move(paired.flags)),
                          paired.ends_without_begin, paired.begins_without_end, paired.renamed);
}

// Innermost slices, with the columns that they are looked up in.
class BoundInnermost {
  public:
    BoundInnermost(InColumn<std::int64_t> start, InColumn<std::int64_t> duration)
        : start_(std::move(start)),
          duration_(std::move(duration)),
          slices_(start_.data(), duration_.data(), start_.size()) {
        if (start_.size() != duration_.size()) throw std::invalid_argument("the columns differ in length");
    }

    nb::object of(const InColumn<std::int64_t>& time) {
        std::vector<std::int64_t> slice(time.size());
        {
            nb::gil_scoped_release release;
            slices_.find(time.data(), time.size(), slice.data());
        }
        return nb::cast(to_numpy(std::move(slice)));
    }

  private:
    InColumn<std::int64_t> start_;
    InColumn<std::int64_t> duration_;
    InnermostSlices slices_;
};

nb::tuple join(InColumn<std::uint8_t> phase, InColumn<std::int64_t> tick, InColumn<std::int64_t> key) {
    const std::size_t size = phase.size();
    if (tick.size() != size || key.size() != size) throw std::invalid_argument("the columns differ in length");
    FlowEdges edges;
    {
        nb::gil_scoped_release release;
        edges = join_flows(phase.data(), tick.data(), key.data(), size);
    }
    return nb::make_tuple(to_numpy(std::move(edges.source)), to_numpy(std::move(edges.target)),
                          edges.starts_without_end, edges.ends_without_start, edges.without_key);
}

nb::object homes(InColumn<std::int64_t> group, InColumn<std::int64_t> time_ns, InColumn<std::int64_t> time_ps,
                 InColumn<std::int64_t> key, InColumn<std::uint8_t> phase, std::size_t keys) {
    const std::size_t size = group.size();
    if (time_ns.size() != size || time_ps.size() != size || key.size() != size || phase.size() != size) {
        throw std::invalid_argument("the columns differ in length");
    }
    std::vector<std::int64_t> found;
    {
        nb::gil_scoped_release release;
        found = async_homes({size, group.data(), time_ns.data(), time_ps.data(), key.data(), phase.data(), keys});
    }
    return nb::cast(to_numpy(std::move(found)));
}

}  // namespace

void bind_pairing(nb::module_& m) {
    m.def("async_homes", &homes, nb::arg("group"), nb::arg("time_ns"), nb::arg("time_ps"), nb::arg("key"),
          nb::arg("phase"), nb::arg("keys"));
    m.def("pair_slices", &pair, nb::arg("time"), nb::arg("duration"), nb::arg("phase"), nb::arg("name"),
          nb::arg("key").none(), nb::arg("trace_end"));
    m.def("join_flows", &join, nb::arg("phase"), nb::arg("tick"), nb::arg("key"));
    nb::class_<BoundInnermost>(m, "InnermostSlices")
        .def(nb::init<InColumn<std::int64_t>, InColumn<std::int64_t>>(), nb::arg("start"), nb::arg("duration"))
        .def("of", &BoundInnermost::of, nb::arg("time"));
}

}  // namespace tilescope
