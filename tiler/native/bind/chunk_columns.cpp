// Binds the columns of a chunk.
#include "bind/chunk_columns.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>

#include "bind/module.hpp"

namespace nb = nanobind;

namespace tilescope {

void bind_chunk_columns(nb::module_& m) {
    nb::class_<ChunkColumns>(m, "ChunkColumns", "Columns of a chunk: all but `track`. It holds them.")
        .def(nb::init<InColumn<uint8_t>, InColumn<int64_t>, std::optional<InColumn<int16_t>>, InColumn<int64_t>,
                      std::optional<InColumn<int16_t>>, InColumn<int32_t>, std::optional<InColumn<int64_t>>,
                      std::optional<InColumn<double>>, InColumn<uint8_t>, InColumn<int64_t>, InColumn<uint8_t>>(),
             nb::arg("phase"), nb::arg("time_ns"), nb::arg("time_ps").none(), nb::arg("duration_ns"),
             nb::arg("duration_ps").none(), nb::arg("name"), nb::arg("key").none(), nb::arg("value").none(),
             nb::arg("flags"), nb::arg("args_end"), nb::arg("args"));
}

}  // namespace tilescope
