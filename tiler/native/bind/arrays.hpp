// Conversion of columns at the border to Python: vectors become numpy arrays without a copy, arrays come in as they
// are.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/span.hpp"
#include "columns/column.hpp"

namespace tilescope {

template <typename T>
using InColumn = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// An array of the caller's to write to.
template <typename T>
using WritableColumn = nanobind::ndarray<T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// Returns a Span<const T> of an InColumn<T>. The array keeps what it shows.
template <typename T>
Span<T> span_of(const WritableColumn<T>& column) {
    return {column.data(), column.size()};
}

inline nanobind::bytes to_bytes(std::string_view text) { return nanobind::bytes(text.data(), text.size()); }

inline std::string_view view_of(const nanobind::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

template <typename T>
using OutColumn = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

template <typename T>
OutColumn<T> to_numpy(std::vector<T>&& column) {
    auto* owned = new std::vector<T>(std::move(column));
    nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return OutColumn<T>(owned->data(), {owned->size()}, owner);
}

// The array owns the memory of the column, whose values it shows as another type of that size.
template <typename Shown, typename T>
OutColumn<Shown> to_numpy_as(Column<T>& column) {
    static_assert(sizeof(Shown) == sizeof(T));
    const std::size_t size = column.size();
    T* data = column.release();
    nanobind::capsule owner(data, [](void* p) noexcept { std::free(p); });
    return OutColumn<Shown>(reinterpret_cast<Shown*>(data), {size}, owner);
}

template <typename T>
OutColumn<T> to_numpy(Column<T>& column) {
    return to_numpy_as<T>(column);
}

}  // namespace tilescope
