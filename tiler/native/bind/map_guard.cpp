// Binds the guard of mapped files.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "files/map_guard.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

// Keeps the map that it guards.
class GuardedMap {
  public:
    explicit GuardedMap(InColumn<std::uint8_t> map) : map_(std::move(map)), guard_(span_of(map_)) {}

    bool broken() const { return guard_.broken(); }

    void release(std::size_t begin, std::size_t end) const {
        const Unlocked unlocked;
        guard_.release(begin, end);
    }

    void hide(std::size_t begin, std::size_t end) const { guard_.hide(begin, end); }
    void show(std::size_t begin, std::size_t end) const { guard_.show(begin, end); }

  private:
    InColumn<std::uint8_t> map_;
    MapGuard guard_;  // goes first
};

}  // namespace

void bind_map_guard(nb::module_& m) {
    nb::class_<GuardedMap>(m, "GuardedMap", "Keeps a mapped file, of which it reads zeros where the file has been cut.")
        .def(nb::init<InColumn<std::uint8_t>>(), nb::arg("map"))
        .def("release", &GuardedMap::release, nb::arg("begin"), nb::arg("end"),
             "Gives the pages of [begin, end) back to the system, and those beside them that it maps along: they are "
             "read\n"
             "again when touched again.")
        .def("hide", &GuardedMap::hide, nb::arg("begin"), nb::arg("end"),
             "Marks [begin, end), which begins with a page, as not there: whoever reads it reads zeros, and breaks the "
             "map.")
        .def("show", &GuardedMap::show, nb::arg("begin"), nb::arg("end"), "Marks [begin, end) as there.")
        .def_prop_ro("broken", &GuardedMap::broken, "Whether something was read that the file no longer has.");
}

}  // namespace tilescope
