// Events that were read before: the next one mostly has the same members in the same order, with other values.
//
// What stands between the values of an event that was looked at as a whole is compared in one go, so that neither keys nor
// white space nor commas are looked at one by one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace_event/fields.hpp"

namespace tilescope {

class EventGuess {
  public:
    // Reads the event at `p`, where a text of one begins, if it is like one of the last few that were learned: what `parse_event`
    // finds is in `out` then, and where the event ends is returned. Null: it is like none of them.
    const char* read(const char* p, const char* end, EventFields& out);

    // Learns from an event that `parse_event` has read between these places. Most files are of some ten kinds.
    void learn(const char* begin, const char* end, const EventFields& event);

  private:
    static constexpr std::size_t kKinds = 12;
    static constexpr std::size_t kLongest = 1024;  // bytes between values

    // Files whose events are not alike are read without guesses: one that has to be learned costs what is won by several.
    static constexpr std::int64_t kPatience = 4096;
    static constexpr std::int64_t kCost = 8;

    using Field = RawValue EventFields::*;

    enum class ValueForm : std::uint8_t { text, token, arguments, none };

    // A place in an event: so many bytes into what stands before a value.
    struct Place {
        std::uint32_t run = 0;
        std::uint32_t offset = 0;
    };

    // Bytes that are always the same, and the value behind them.
    struct Run {
        std::size_t first = 0;  // in `plain`
        std::size_t size = 0;
        ValueForm form = ValueForm::none;
        Field field = nullptr;  // null: no column needs the value
        std::size_t fixed = 0;  // how many values lie in the runs up to this one
    };

    // A value that always is the same.
    struct Fixed {
        Field field = nullptr;
        std::size_t offset = 0;  // in its run
        RawValue value;  // but for the place of its text
    };

    struct Rest {
        Place begin, end;
    };

    struct Kind {
        std::string plain;  // and kReadBehind more
        std::vector<Run> runs;
        std::vector<Fixed> fixed;
        std::vector<Rest> rest;
    };

    const char* read_kind(const Kind& kind, const char* p, const char* end, EventFields& out);
    static bool is_fixed(Field field);
    static const char* read_value(const Run& run, const char* p, const char* end, EventFields& out);

    std::array<Kind, kKinds> kinds_;
    std::vector<std::uint8_t> order_;  // those that are known, the one that was met last first
    std::array<const char*, EventFields::kMostMembers + 1> begins_{};  // of the runs of the event that is read
    std::int64_t patience_ = kPatience;
};

}  // namespace tilescope
