// Which async slice or flow an event belongs to, as a number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "intern.hpp"
#include "trace_event_fields.hpp"

namespace tilescope {

// What pairing needs of an async event.
struct AsyncPlace {
    std::int64_t key;
    std::int32_t process;  // whose track it goes to
};

class EventKeys {
public:
    // Identity: category, scope and id (`id`, or `id2.global`; `id2.local` within the process); without any id: category,
    // name and thread. b/n/e and S/T/p/F do not mix. An id is first looked for in the event's own process: writers use
    // the same ids in several ones. An end that has no open begin there belongs to the process that began last.
    AsyncPlace async_begin(const EventFields& event, std::int32_t process, std::int32_t thread);
    AsyncPlace async_end(const EventFields& event, std::int32_t process, std::int32_t thread);
    AsyncPlace async_instant(const EventFields& event, std::int32_t process, std::int32_t thread);

    // s/t/f: category, scope and id, -1 without an id. The name is no part of it: some writers name the ends differently.
    std::int64_t flow(const EventFields& event, std::int32_t process);

    // bind_id with flow_in and flow_out.
    std::int64_t bound_flow(const EventFields& event);

private:
    struct Local {
        std::int32_t process;
        std::int64_t open = 0;  // begins minus ends, in file order
    };

    // Puts the identity that all processes share in `scratch_`.
    void write_async_identity(const EventFields& event, std::int32_t process, std::int32_t thread);
    void append_id(const EventFields& event, std::int32_t process);
    std::int32_t local_key(std::int32_t shared, std::int32_t process);

    Interner shared_keys_;                  // async identities without the process
    std::vector<std::int32_t> last_begun_;  // by shared key: local key, -1: none
    Interner local_keys_;
    std::vector<Local> locals_;
    Interner flow_keys_;
    std::string scratch_;
};

}  // namespace tilescope
