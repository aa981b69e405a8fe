#pragma once

#include <nanobind/nanobind.h>

namespace tilescope {

void bind_pyramid(nanobind::module_& m);

}  // namespace tilescope
