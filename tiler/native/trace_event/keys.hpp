// The async slice or flow that an event belongs to, as a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "columns/intern.hpp"
#include "trace_event/fields.hpp"

namespace tilescope {

// From the numbers of processes and threads in a part of a file to those in the whole file.
struct ScopeNumbers {
    std::vector<std::int32_t> processes;
    std::vector<std::int32_t> threads;
};

// A key is an id in a space: ids of one space are compared with each other. Ids that are whole numbers, as nearly all are,
// are in the key itself; others are kept as text (see direct_key.hpp). Keys are never negative.
class EventKeys {
  public:
    // Space: category and scope, and the process of an `id2.local`; the id is `id`, or that of `id2`; without any, the space
    // is category and thread, and the id the name. b/n/e and S/T/p/F do not mix. Writers use the same ids in several
    // processes: which ends belong to another process is decided when all events are known, see tiler/indexing/reading/async_ends.py.
    std::int64_t async(const EventFields& event, std::int32_t process, std::int32_t thread);

    // s/t/f: category, scope and id, -1 without an id. The name is no part of it: some writers name the ends differently.
    std::int64_t flow(const EventFields& event, std::int32_t process);

    // bind_id with flow_in and flow_out.
    std::int64_t bound_flow(const EventFields& event);

    // Gives the keys of a part of the file the numbers that they have here. To be asked for in the order of the part's rows.
    class PartNumbers {
      public:
        PartNumbers(EventKeys& whole, const EventKeys& part, const ScopeNumbers& scopes);
        std::int64_t renumbered(std::int64_t key);  // -1 stays

      private:
        EventKeys& whole_;
        const EventKeys& part_;
        std::vector<std::int32_t> spaces_;  // by number in the part
        std::vector<std::int64_t> texts_;   // the same; -1: not met yet
    };

    // Number of spaces, and of ids that are no numbers, that are kept; and their bytes.
    std::size_t size() const { return spaces_.size() + texts_.size(); }
    std::size_t bytes() const { return spaces_.bytes() + texts_.bytes(); }

  private:
    // The scope that a space begins with, behind the family of phases: the process or thread that it is confined to.
    enum class Scope : char { global = 'g', process = 'p', thread = 't' };
    void begin_space(char family, Scope scope, std::int32_t number);
    std::int64_t identified(char family, const EventFields& event, std::int32_t process);
    std::int64_t key_in_space(const RawValue& id);
    std::int64_t key_of(std::int32_t space, std::string_view id);

    Interner spaces_;
    Interner texts_;  // number of a space, and an id
    std::string scratch_;
};

}  // namespace tilescope
