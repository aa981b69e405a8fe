// A stat, as far as texts are looked for in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "base/bytes.hpp"
#include "base/span.hpp"
#include "columns/varint.hpp"

namespace tilescope::xspace {

// The next stat of a message: the whole field, and what is in it.
struct StatField {
    Bytes whole, content;
};

struct TextStat {
    enum class Value : std::uint8_t { none, text, reference, strange };

    std::int64_t id = 0;
    Value value = Value::none;  // the last one; strange: a text or a reference of a wire type that is not its own
    bool has_text = false;  // some value is a text, a reference or strange
    Bytes text;
    std::int64_t reference = 0;
};

// Both throw std::invalid_argument for what is damaged.
StatField next_stat(Bytes message, std::size_t& offset);
TextStat text_stat(Bytes content);

}  // namespace tilescope::xspace
