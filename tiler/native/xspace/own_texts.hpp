// Texts among the arguments of XSpace events of a track: which of their stats they have themselves, and in each part of
// the track how many of them have the same texts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "base/span.hpp"
#include "columns/part_texts.hpp"

namespace tilescope::xspace {

struct OwnTexts {
    explicit OwnTexts(std::size_t part_events);

    bool is_readable = true;  // false: arguments are damaged, or have too many stats; nothing else is here then
    std::vector<std::int64_t> ids;  // of stats that some event has itself, ascending
    PartTexts texts;  // the `stats` fields of an event that are texts or references, one behind the other
    std::vector<std::int32_t> slots;  // of metadata that events have, ascending
    std::vector<std::int64_t> events;  // that have each
};

class OwnTextMaker {
  public:
    // Events with metadata `first_number + k` are counted under slots[k], which outlive this, unless that is -1. Throws
    // std::invalid_argument for parts without events.
    OwnTextMaker(std::int64_t first_number, Span<const std::int32_t> slots, std::size_t part_events);

    // The next events: those of event k are args[ends[k-1], ends[k]), from `begin` on. Throws std::invalid_argument for
    // ends that decrease or lie beyond the data.
    void add(Span<const std::int64_t> ends, std::int64_t begin, Bytes args);

    // All of them. To be asked once, at the end.
    OwnTexts& finish();

  private:
    void add(Bytes event);
    void read(Bytes event);
    void add_id(std::int64_t id);

    std::int64_t first_number_;
    Span<const std::int32_t> slots_;
    std::size_t part_events_;
    OwnTexts made_;
    std::array<bool, 128> are_met_{};  // ids of stats that are numbers
    std::unordered_map<std::int32_t, std::int64_t> events_;  // by slot: tracks are many, and few slots are of one
    std::string texts_;  // of the event that is read
};

}  // namespace tilescope::xspace
