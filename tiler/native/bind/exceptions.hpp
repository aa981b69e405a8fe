// Conversion of our exceptions to exceptions of Python's, whose arguments say what is wrong and where.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <string>

namespace tilescope {

// Makes the exception `name` of the module. `ArgsOf` gives its arguments, a tuple of Python, from an `Error`. What derives
// from another exception is bound after that one: the last one bound is asked first.
template <typename Error, typename ArgsOf>
void bind_exception(nanobind::module_& m, const char* name, PyObject* base, const char* doc, ArgsOf) {
    const std::string full = std::string("tilescope.tiler._native.") + name;
    nanobind::object type = nanobind::steal(PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr));
    m.attr(name) = type;
    nanobind::register_exception_translator(
        [](const std::exception_ptr& pending, void* payload) {
            try {
                std::rethrow_exception(pending);
            } catch (const Error& error) {
                const nanobind::tuple args = ArgsOf()(error);
                PyErr_SetObject(static_cast<PyObject*>(payload), args.ptr());
            }
        },
        type.release().ptr());  // lives as long as the process, as the module does
}

// The arguments of an error that lies at a byte of a file.
struct WhatAndOffset {
    template <typename Error>
    nanobind::tuple operator()(const Error& error) const {
        return nanobind::make_tuple(error.what(), error.offset());
    }
};

}  // namespace tilescope
