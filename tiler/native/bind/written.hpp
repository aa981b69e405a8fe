// Containers as bytes of Python.
#pragma once

#include <nanobind/nanobind.h>

#include "bind/unlocked.hpp"
#include "pages/container.hpp"

namespace tilescope {

// All of a container, written where Python keeps it: a copy would take as long as half of the encoding.
inline nanobind::bytes written(const ContainerWriter& container) {
    PyObject* bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(container.size()));
    if (bytes == nullptr) nanobind::raise_python_error();
    auto owned = nanobind::steal<nanobind::bytes>(bytes);
    char* const place = PyBytes_AsString(bytes);  // a call, as wheels for several versions of Python have it
    const Unlocked unlocked;
    container.write(place);
    return owned;
}

}  // namespace tilescope
