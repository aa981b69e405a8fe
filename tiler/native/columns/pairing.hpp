// Begin/end pairing of one track. The rules stand in tiler/columns/pairing.py; its tests hold a plain-Python reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include "base/counted.hpp"
#include "base/span.hpp"

namespace tilescope {

// By name: names with one text and different categories are namesakes.
struct Namesakes {
    Span<const std::int32_t> text;  // the first name that has its text
    Span<const std::uint8_t> has_category;  // 0: none
};

// Rows in file order. Without keys all of them share one stack; without namesakes no two names have one text.
struct PairingInput {
    Span<const std::int64_t> time;
    Span<const std::int64_t> duration;
    Span<const std::uint8_t> phase;
    Span<const std::int32_t> name;
    std::optional<Span<const std::int64_t>> key;
    std::int64_t trace_end = 0;
    std::optional<Namesakes> namesakes;

    // The text of a row's name: a name that stands for all of its text. Throws std::invalid_argument for other names.
    std::int32_t text(std::size_t row) const {
        if (!namesakes || name[row] < 0) return name[row];
        const auto id = static_cast<std::size_t>(name[row]);
        if (id >= same_size(namesakes->text, namesakes->has_category) || namesakes->text[id] < 0)
            throw std::invalid_argument("there is no such name");
        return namesakes->text[id];
    }

    // Throws std::invalid_argument for columns that differ in length.
    std::size_t size() const {
        if (key) same_size(time, *key);
        return same_size(time, duration, phase, name);
    }
};

// Room that pairing needs, which the caller gives: it may be more than there is memory for.
struct PairingRoom {
    std::size_t slices = 0;
    std::size_t space = 0;  // numbers of 64 bits to work with; none where rows come in the order of time
};
PairingRoom pairing_room(const PairingInput& input);

// One entry per slice, in the order of the rows that begin them.
struct PairedColumns {
    Span<std::int64_t> start;
    Span<std::int64_t> duration;
    Span<std::int32_t> name;
    Span<std::int64_t> source;
    Span<std::int64_t> end_source;
    Span<std::uint8_t> flags;
};

struct PairingCounts {
    std::int64_t ends_without_begin = 0;
    std::int64_t begins_without_end = 0;
    std::int64_t renamed = 0;
    std::int64_t recategorised = 0;
};

// Writes the slices to `out`. What is open at once is taken from `budget`: ShortOfBudget. Throws std::invalid_argument for
// columns that differ in length, or have not the room that `pairing_room` tells.
PairingCounts pair_slices(const PairingInput& input, const PairedColumns& out, Span<std::int64_t> space,
                          MemoryBudget* budget = nullptr);

}  // namespace tilescope
