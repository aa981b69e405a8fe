// Python's door to pairing.hpp and enclosing.hpp.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "bind_arrays.hpp"
#include "enclosing.hpp"
#include "pairing.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

nb::tuple pair(InColumn<std::int64_t> time, InColumn<std::int64_t> duration, InColumn<std::uint8_t> phase,
               InColumn<std::int32_t> name, std::optional<InColumn<std::int64_t>> key, std::int64_t trace_end) {
    const std::size_t size = time.size();
    if (duration.size() != size || phase.size() != size || name.size() != size || (key && key->size() != size)) {
        throw std::invalid_argument("the columns differ in length");
    }
    const PairingInput input{size,        time.data(), duration.data(), phase.data(),
                             name.data(), key ? key->data() : nullptr,  trace_end};
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

nb::object innermost(InColumn<std::int64_t> start, InColumn<std::int64_t> duration, InColumn<std::int64_t> time) {
    if (start.size() != duration.size()) throw std::invalid_argument("the columns differ in length");
    std::vector<std::int64_t> slice(time.size());
    {
        nb::gil_scoped_release release;
        innermost_slices(start.data(), duration.data(), start.size(), time.data(), time.size(), slice.data());
    }
    return nb::cast(to_numpy(std::move(slice)));
}

}  // namespace

void bind_pairing(nb::module_& m) {
    m.def("pair_slices", &pair, nb::arg("time"), nb::arg("duration"), nb::arg("phase"), nb::arg("name"),
          nb::arg("key").none(), nb::arg("trace_end"));
    m.def("innermost_slices", &innermost, nb::arg("start"), nb::arg("duration"), nb::arg("time"));
}

}  // namespace tilescope
