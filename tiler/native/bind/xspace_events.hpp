// Readers of the events of a line for Python: chunk by chunk, or all slices straight into columns of the caller's.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "bind/arrays.hpp"
#include "xspace/events.hpp"
#include "xspace/samples.hpp"
#include "xspace/slices.hpp"

namespace tilescope {

namespace nb = nanobind;

// The events of a line, chunk by chunk. Hot calls release the GIL.
class LineEvents {
  public:
    using Decoder = std::variant<xspace::LineDecoder, xspace::SampleDecoder>;

    explicit LineEvents(Decoder decoder) : decoder_(std::move(decoder)) {}

    // Columns, or nothing, by their names in an EventChunk.
    using Columns = nb::typed<nb::dict, std::string, nb::any>;

    std::optional<Columns> next(std::size_t max_rows, std::size_t max_args_bytes);

    std::size_t position() const {
        return std::visit([](const auto& decoder) { return decoder.position(); }, decoder_);
    }

  private:
    Decoder decoder_;
};

// The caller's columns, which stay where they are as long as they are written to.
struct SliceArrays {
    InColumn<std::int32_t> names;
    WritableColumn<std::int64_t> start;
    WritableColumn<std::int64_t> duration;
    WritableColumn<std::int32_t> name;
    WritableColumn<std::uint8_t> flags;
    WritableColumn<std::int64_t> args_end;
    WritableColumn<std::uint8_t> args;
    WritableColumn<std::int64_t> key;
    WritableColumn<std::uint8_t> flow_phase;
    WritableColumn<std::int64_t> flow_tick;
    WritableColumn<std::int64_t> flow_key;
    WritableColumn<std::int64_t> flow_slice;

    xspace::SliceRoom slices() const {
        return {span_of(start),    span_of(duration), span_of(name), span_of(flags),
                span_of(args_end), span_of(args),     span_of(key)};
    }
    xspace::FlowEndRoom flow_ends() const {
        return {span_of(flow_phase), span_of(flow_tick), span_of(flow_key), span_of(flow_slice)};
    }
};

// The slices of a line, on their way to the caller's columns.
struct SliceReading {
    SliceArrays arrays;
    xspace::LineSlices decoder;
};

void bind_xspace_events(nb::module_& m);

}  // namespace tilescope
