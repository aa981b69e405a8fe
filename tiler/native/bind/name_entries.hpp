// Names and categories as Python sees them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "columns/name_entries.hpp"

namespace tilescope {

namespace nb = nanobind;

template <typename... T>
using ListOfTuples = nb::typed<nb::list, std::tuple<T...>>;

// Text and category of each name, by number. Names that share a text or a category share the object.
ListOfTuples<nb::str, nb::str> pairs_of(const NameEntries& names);

}  // namespace tilescope
