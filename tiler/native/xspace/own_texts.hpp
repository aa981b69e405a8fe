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
#include "columns/intern.hpp"

namespace tilescope::xspace {

struct OwnTexts {
    bool is_readable = true;  // false: arguments are damaged, or have too many stats; nothing else is here then
    std::vector<std::int64_t> ids;  // of stats that some event has itself, ascending
    Interner texts;  // the `stats` fields of an event that are texts or references, one behind the other
    std::vector<std::int32_t> sizes;  // by part: how many of them events of it have; -1: too many
    std::vector<std::int32_t> places;  // part by part, ascending: which ones
    std::vector<std::int32_t> counts;  // events that have each
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
    void count(const std::string& texts);
    void end_part();
    void keep_listed();

    std::int64_t first_number_;
    Span<const std::int32_t> slots_;
    std::size_t part_events_;
    OwnTexts made_;
    std::array<bool, 128> are_met_{};  // ids of stats that are numbers
    std::unordered_map<std::int32_t, std::int64_t> events_;  // by slot: tracks are many, and few slots are of one
    std::size_t seen_bytes_ = 0;  // of arguments
    std::string texts_;  // of the event that is read
    // The part that has not ended.
    std::size_t part_size_ = 0;
    std::size_t with_texts_ = 0;  // events that have any
    bool is_many_ = false;
    std::vector<std::int32_t> in_part_;  // by text
    std::vector<std::int32_t> met_;  // texts that the part has
};

}  // namespace tilescope::xspace
