// Arguments of XSpace events, as columns hold them: a varint, the number of the event's metadata, then its `stats` fields.
#pragma once

#include "columns/argument_values.hpp"
#include "xspace/wanted_ids.hpp"
#include "xspace/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::xspace {

// The integer that the stat of one of these ids, which ascend, has in the arguments, which are the whole source; `absent`
// where there is none, or something of them is damaged. The last one counts.
std::int64_t integer_stat(const wire::Source& args, const std::vector<std::int64_t>& ids, std::int64_t absent);

// The ids of some stats, by the number of the argument that they are.
class WantedStats {
  public:
    // `has_number`: whether the number of the metadata comes first; stats of metadata itself have none.
    explicit WantedStats(const std::vector<std::vector<std::int64_t>>& ids, bool has_number = true);

    // Writes the values of the arguments of an event, which are the whole source; what is there twice, is damaged or of a
    // kind of its own is unclear. Returns the number of the event's metadata, -1 where there is none.
    std::int64_t read(const wire::Source& args, Span<ArgumentValue> values) const;

  private:
    std::int64_t read_checked(const wire::Source& args, Span<ArgumentValue> values) const;

    WantedIds wanted_;
    bool has_number_;
};

}  // namespace tilescope::xspace
