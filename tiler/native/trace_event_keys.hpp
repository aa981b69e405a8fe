// Which async slice or flow an event belongs to, as a number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "event_codes.hpp"
#include "intern.hpp"
#include "trace_event_fields.hpp"

namespace tilescope {

// What pairing needs of an async event.
struct AsyncPlace {
    std::int64_t key;
    std::int32_t process;  // whose track it goes to
};

// From the numbers of processes and threads in a part of a file to those in the whole file.
struct ScopeNumbers {
    std::vector<std::int32_t> processes;
    std::vector<std::int32_t> threads;
};

class EventKeys {
public:
    // Identity: category, scope and id (`id`, or `id2.global`; `id2.local` within the process); without any id: category,
    // name and thread. b/n/e and S/T/p/F do not mix. Returns its number.
    std::int32_t async_identity(const EventFields& event, std::int32_t process, std::int32_t thread);

    // To be asked for each BEGIN, END and INSTANT in file order. An identity is first looked for in the event's own
    // process: writers use the same ids in several ones. An end that has no open begin there belongs to the process that
    // began last.
    AsyncPlace async_place(Phase phase, std::int32_t identity, std::int32_t process);

    // s/t/f: category, scope and id, -1 without an id. The name is no part of it: some writers name the ends differently.
    std::int64_t flow(const EventFields& event, std::int32_t process);

    // bind_id with flow_in and flow_out.
    std::int64_t bound_flow(const EventFields& event);

    // Takes over the identities and flows that a part of the file knows. Returns their numbers here, by number there.
    std::vector<std::int32_t> absorb_identities(const EventKeys& part, const ScopeNumbers& scopes);
    std::vector<std::int32_t> absorb_flows(const EventKeys& part, const ScopeNumbers& scopes);

private:
    // What an identity begins with: which family of phases, and the process or thread that it is confined to.
    enum class Scope : char { global = 'g', process = 'p', thread = 't' };
    void begin_identity(char family, Scope scope, std::int32_t number);

    struct Shared {
        std::int32_t home = -1;        // local key in the process that came first, -1: none yet
        std::int32_t last_begun = -1;  // local key, -1: none
    };
    struct Local {
        std::int32_t process;
        std::int64_t open = 0;  // begins minus ends, in file order
    };

    static std::vector<std::int32_t> absorb(Interner& into, const Interner& part, const ScopeNumbers& scopes);
    void begin_identified(char family, const EventFields& event, std::int32_t process);
    std::int32_t local_key(std::int32_t identity, std::int32_t process);
    std::int32_t add_local(std::int32_t process);

    Interner identities_;                   // without the process, unless it confines the id
    std::vector<Shared> shared_;            // by identity, as far as it has been asked for
    std::vector<Local> locals_;             // an identity in a process, by key
    Interner elsewhere_;                    // identity and process, of the processes that came later
    std::vector<std::int32_t> elsewhere_keys_;
    Interner flow_keys_;
    std::string scratch_;
};

}  // namespace tilescope
