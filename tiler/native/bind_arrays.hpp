// How columns cross the border to Python: vectors become numpy arrays without a copy, arrays come in as they are.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace tilescope {

template <typename T>
using InColumn = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <typename T>
using OutColumn = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

template <typename T>
OutColumn<T> to_numpy(std::vector<T>&& column) {
    auto* owned = new std::vector<T>(std::move(column));
    nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return OutColumn<T>(owned->data(), {owned->size()}, owner);
}

}  // namespace tilescope
