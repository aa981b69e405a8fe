// Which async slice or flow an event belongs to, as a number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "intern.hpp"
#include "trace_event_fields.hpp"

namespace tilescope {

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

    // The number of an identity in a process: writers use the same ids in several ones. Which ends belong to another
    // process is decided when all events are known: see tiler/build/async_ends.py.
    std::int32_t async_key(std::int32_t identity, std::int32_t process);

    // Of each async key: its identity when that is in several processes, otherwise -1.
    std::vector<std::int32_t> shared_identities() const;

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
        std::int32_t home = -1;  // key in the process that came first, -1: none yet
        bool elsewhere = false;  // whether it is in other processes, too
    };
    struct Local {
        std::int32_t identity;
        std::int32_t process;
    };

    static std::vector<std::int32_t> absorb(Interner& into, const Interner& part, const ScopeNumbers& scopes);
    void begin_identified(char family, const EventFields& event, std::int32_t process);
    std::int32_t add_local(std::int32_t identity, std::int32_t process);

    Interner identities_;                   // without the process, unless it confines the id
    std::vector<Shared> shared_;            // by identity, as far as it has been asked for
    std::vector<Local> locals_;             // an identity in a process, by key
    Interner elsewhere_;                    // identity and process, of the processes that came later
    std::vector<std::int32_t> elsewhere_keys_;
    Interner flow_keys_;
    std::string scratch_;
};

}  // namespace tilescope
