// The stat in which event metadata says what category its events have: `hlo_category`, of operations of devices.
#pragma once

#include "xspace/outline.hpp"
#include "xspace/stat_codes.hpp"
#include "xspace/tables.hpp"
#include "xspace/wire.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace tilescope::xspace {

class CategoryStat {
  public:
    // Reads categories of a plane. The source must outlive it.
    CategoryStat(const wire::Source& source, const Plane& plane);

    // The text in the stats of event metadata, a range as `MetadataFields` has it. Of several stats the last counts. Empty
    // where no text is there, and for damaged stats: the names and times of events do not depend on them.
    std::string_view category(wire::Range stats) const;

  private:
    const wire::Source& source_;
    std::optional<StatChoice> choice_;  // none: the plane has no such stat
    IdTable places_;  // id of stat metadata, which a stat may refer to → index into `names_`
    std::vector<wire::Range> names_;
};

}  // namespace tilescope::xspace
