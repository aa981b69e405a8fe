// Detection of a trace event that begins at some place in the middle of a file.
#pragma once

#include <cstddef>

#include "trace_event/fields.hpp"

namespace tilescope {

enum class Answer { no, yes, undecided };

struct EventBegin {
    Answer answer;
    const char* seen;  // how far the text was looked at
};

// `p` stands at an opening brace. Yes: what follows is a whole object that looks like an event. Undecided: the text ends
// before that can be told. An event of more than `max_bytes` is none. Leaves its members in `fields`.
EventBegin event_begins(const char* p, const char* end, std::size_t max_bytes, EventFields& fields);

}  // namespace tilescope
