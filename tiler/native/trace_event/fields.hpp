// One trace event as text: where each of its members stands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <string>
#include <string_view>
#include <vector>

#include "columns/shape_guess.hpp"
#include "trace_event/json_skip.hpp"

namespace tilescope {

enum class JsonKind { missing, string, number, word, object, array };

// True if a word stands for what no number is, as JavaScript and Python write it: NaN, -Infinity, +inf.
bool is_no_number(std::string_view word);

// A value as it is written; a string without its quotes.
struct RawValue {
    JsonKind kind = JsonKind::missing;
    std::string_view text;
    bool escaped = false;
    bool non_ascii = false;
    bool deep = false;  // nested deeper than max_depth

    bool is_string() const { return kind == JsonKind::string; }
    // Null, also as Python writes it.
    bool is_null() const {
        return kind == JsonKind::missing || (kind == JsonKind::word && (text == "null" || text == "None"));
    }

    // Null, and what stands for it where no number or text could be written: NaN, Infinity.
    bool says_nothing() const { return is_null() || (kind == JsonKind::word && is_no_number(text)); }
};

// The members of one event that mean something. Of repeated members the last one counts, as in most JSON readers.
struct EventFields {
    RawValue ph, name, cat, pid, tid, ts, dur, id, id2, id_scope, args, instant_scope, bp, bind_id, flow_in, flow_out;
    // `"key": value` of all members that no column holds. Members with nothing but a comma between them are one text.
    std::vector<std::string_view> rest;

    bool any = false;            // there is a member at all
    std::size_t cut_values = 0;  // of `rest`: were nested deeper than max_depth, and are not any more

    void clear();

    // All members in their order, as far as there is room; `parse_event` notes them.
    static constexpr std::size_t kMostMembers = 16;
    struct Member {
        RawValue EventFields::* field = nullptr;  // null: one that no column needs
        RawValue value;
    };
    std::array<Member, kMostMembers> members{};
    std::size_t member_count = 0;  // with those that there was no room for

    // By place in the event: which known key stood there in an earlier event. Writers keep to one order.
    std::array<std::uint8_t, 16> key_order{};

    ShapeGuess* guess = nullptr;  // what arguments are like, if they are packed

    std::forward_list<std::string> cut_texts;  // what `rest` refers to beside the event's own text
};

// A member that events commonly have.
bool is_event_member(std::string_view key);

enum class ParsedAs { event, trace_object };

struct EventEnd {
    Scan status;
    const char* position;  // behind the object; otherwise where it went wrong
    ParsedAs as;     // a trace object is one with a member "traceEvents", which is as far as it was read
};

// The treatment of values that are nested deeper than max_depth. Who tries many places of a text refuses them: he would
// pass over the same depths again and again.
enum class Depths { cut, refused };

// `p` stands at the opening brace. The views in `out` point into the text, and into `out`.
EventEnd parse_event(const char* p, const char* end, EventFields& out, Depths depths = Depths::cut);

// Reads one value that is whole. `p` stands where it begins.
ScanEnd read_value(const char* p, const char* end, RawValue& out);

// Calls `visit(key, value)` for each member of a whole object, in order, until it returns false.
template <typename Visit>
void for_each_member(std::string_view object, Visit&& visit);

// The last member of that name in a whole object.
RawValue find_member(const RawValue& object, std::string_view key);

// Text of a scalar: strings decoded, numbers and words as written. Empty for objects, arrays and what says nothing.
std::string scalar_text(const RawValue& value);

}  // namespace tilescope
