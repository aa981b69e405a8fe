// Columns of a chunk that Python holds, for what is made of many chunks.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "bind/arrays.hpp"
#include "columns/pieces.hpp"

namespace tilescope {

// Holds its columns; many pieces are rows of it.
class ChunkColumns {
  public:
    ChunkColumns(InColumn<uint8_t> phase, InColumn<int64_t> time_ns, std::optional<InColumn<int16_t>> time_ps,
                 InColumn<int64_t> duration_ns, std::optional<InColumn<int16_t>> duration_ps, InColumn<int32_t> name,
                 std::optional<InColumn<int64_t>> key, std::optional<InColumn<double>> value, InColumn<uint8_t> flags,
                 InColumn<int64_t> args_end, InColumn<uint8_t> args)
        : phase_(std::move(phase)),
          time_ns_(std::move(time_ns)),
          time_ps_(std::move(time_ps)),
          duration_ns_(std::move(duration_ns)),
          duration_ps_(std::move(duration_ps)),
          name_(std::move(name)),
          key_(std::move(key)),
          value_(std::move(value)),
          flags_(std::move(flags)),
          args_end_(std::move(args_end)),
          args_(std::move(args)) {}

    // All rows, of which there are as many as phases.
    ChunkPart whole() const { return part(0, phase_.size()); }

    ChunkPart part(size_t start, size_t stop) const {
        return {span_of(phase_),
                span_of(time_ns_),
                optional(time_ps_),
                span_of(duration_ns_),
                optional(duration_ps_),
                span_of(name_),
                optional(key_),
                optional(value_),
                span_of(flags_),
                span_of(args_end_),
                span_of(args_),
                start,
                stop};
    }

  private:
    template <typename T>
    static std::optional<Span<const T>> optional(const std::optional<InColumn<T>>& column) {
        if (!column) return std::nullopt;
        return span_of(*column);
    }

    InColumn<uint8_t> phase_;
    InColumn<int64_t> time_ns_;
    std::optional<InColumn<int16_t>> time_ps_;
    InColumn<int64_t> duration_ns_;
    std::optional<InColumn<int16_t>> duration_ps_;
    InColumn<int32_t> name_;
    std::optional<InColumn<int64_t>> key_;
    std::optional<InColumn<double>> value_;
    InColumn<uint8_t> flags_;
    InColumn<int64_t> args_end_;
    InColumn<uint8_t> args_;
};

}  // namespace tilescope
