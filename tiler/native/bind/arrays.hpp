// Conversion of columns at the border to Python: vectors become numpy arrays without a copy, arrays come in as they
// are, or as a copy in a type that holds all of their values. Others are refused: numpy would cut their values.
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
#include "columns/intern.hpp"

namespace tilescope {

template <typename T>
using ColumnArray = nanobind::ndarray<T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <typename T>
struct InColumn : ColumnArray<const T> {
    InColumn() = default;
    explicit InColumn(ColumnArray<const T>&& array) : ColumnArray<const T>(std::move(array)) {}
};

// An array of the caller's to write to.
template <typename T>
struct WritableColumn : ColumnArray<T> {
    WritableColumn() = default;
    explicit WritableColumn(ColumnArray<T>&& array) : ColumnArray<T>(std::move(array)) {}
};

// The array keeps what it shows.
template <typename T>
Span<const T> span_of(const InColumn<T>& column) {
    return {column.data(), column.size()};
}

template <typename T>
Span<T> span_of(const WritableColumn<T>& column) {
    return {column.data(), column.size()};
}

// True if `to` has all values of `from`.
inline bool holds(nanobind::dlpack::dtype to, nanobind::dlpack::dtype from) {
    using Code = nanobind::dlpack::dtype_code;
    const auto is = [](nanobind::dlpack::dtype type, Code code) {
        return type.code == static_cast<std::uint8_t>(code);
    };
    if (to.code == from.code) return to.bits >= from.bits && to.lanes == from.lanes;
    return is(to, Code::Int) && is(from, Code::UInt) && to.bits > from.bits && to.lanes == from.lanes;
}

inline nanobind::bytes to_bytes(std::string_view text) { return nanobind::bytes(text.data(), text.size()); }

inline std::vector<nanobind::bytes> to_list(const Interner& texts) {
    std::vector<nanobind::bytes> list;
    list.reserve(texts.size());
    for (std::size_t k = 0; k < texts.size(); ++k) list.push_back(to_bytes(texts.at(static_cast<std::int32_t>(k))));
    return list;
}

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

namespace nanobind::detail {

template <typename T>
struct type_caster<tilescope::InColumn<T>> {
    using Array = type_caster<tilescope::ColumnArray<const T>>;
    NB_TYPE_CASTER(tilescope::InColumn<T>, Array::Name)

    template <typename Flags>
    bool from_python(handle source, Flags flags, cleanup_list* cleanup) noexcept {
        const auto as_it_is = static_cast<Flags>(flags & ~static_cast<Flags>(cast_flags::convert));
        Array array;
        if (!array.from_python(source, as_it_is, cleanup)) {
            type_caster<ndarray<ro, ndim<1>, device::cpu>> any;
            if (as_it_is == flags || !any.from_python(source, as_it_is, cleanup)) return false;
            if (!tilescope::holds(dtype<T>(), any.value.dtype())) return false;
            if (!array.from_python(source, flags, cleanup)) return false;
        }
        value = tilescope::InColumn<T>(std::move(array.value));
        return true;
    }

    static handle from_cpp(const tilescope::InColumn<T>& column, rv_policy policy, cleanup_list* cleanup) noexcept {
        return Array::from_cpp(column, policy, cleanup);
    }
};

// Never a copy: what is written to it would be lost.
template <typename T>
struct type_caster<tilescope::WritableColumn<T>> {
    using Array = type_caster<tilescope::ColumnArray<T>>;
    NB_TYPE_CASTER(tilescope::WritableColumn<T>, Array::Name)

    template <typename Flags>
    bool from_python(handle source, Flags flags, cleanup_list* cleanup) noexcept {
        Array array;
        const auto as_it_is = static_cast<Flags>(flags & ~static_cast<Flags>(cast_flags::convert));
        if (!array.from_python(source, as_it_is, cleanup)) return false;
        value = tilescope::WritableColumn<T>(std::move(array.value));
        return true;
    }

    static handle from_cpp(const tilescope::WritableColumn<T>& column, rv_policy policy,
                           cleanup_list* cleanup) noexcept {
        return Array::from_cpp(column, policy, cleanup);
    }
};

}  // namespace nanobind::detail
