// The first pass over an XSpace: where planes, lines and metadata lie.
//
// Map entries may come after the lines that use them, so everything is found first, as byte ranges. Lines are stepped
// over: `survey_line` looks into them, several at a time.
//
// Where the file ends inside a plane, what is whole before its end is kept: fields of the plane, and of its last line. So
// nobody after this pass meets the cut.
#pragma once

#include "xspace/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::xspace {

struct MetadataEntry {
    std::int64_t id = 0;
    wire::Range value;  // of the XEventMetadata or XStatMetadata message
};

struct Line {
    std::size_t plane = 0;  // index into Outline::planes
    wire::Range body;
};

struct Plane {
    wire::Range name;
    std::vector<MetadataEntry>
        event_metadata;  // in file order; of equal ids the last counts; none once it is forgotten
    std::vector<MetadataEntry> stat_metadata;
    std::vector<wire::Range> stats;  // XStat messages
    bool is_cut = false;  // by the end of the file: metadata that its events name may be missing
};

// An early end of a file: what it ends inside of, and where that begins.
struct Cut {
    std::string what;
    std::size_t offset = 0;
};

// The most that may be found in a file, each piece at what it takes until the run is stored, as
// `tiler/readers/memory_budget.py` counts.
struct Room {
    std::size_t bytes = ~std::size_t{0};
    std::size_t per_plane = 0;
    std::size_t per_line = 0;
    std::size_t per_name = 0;  // an event metadata that events use, or any other small piece
};

struct Outline {
    std::vector<Plane> planes;
    std::vector<Line> lines;  // those of a plane are neighbours, planes in order
    std::vector<wire::Range> errors;
    std::vector<wire::Range> warnings;
    std::vector<wire::Range> hostnames;
    std::optional<Cut> cut;
};

class OutlineReader {
  public:
    OutlineReader(wire::Source source, Room room) : source_(source), room_(room) {}

    // Reads on until the position is at least `stop`; true while there is more. Throws wire::Error for damage other than
    // a cut, wire::LimitReached when there is no room for what was found.
    bool advance(std::size_t stop);

    std::size_t position() const { return position_; }
    const Outline& outline() const { return outline_; }

    // Forgets where a plane's event metadata lies, once the catalogue has what is needed of it: 24 bytes for each, of
    // which a pod has millions.
    void forget_event_metadata(std::size_t plane);

  private:
    void field();
    void file_field();
    void plane_field();
    void cut_line_field();
    void take(std::size_t bytes, const char* what);
    MetadataEntry metadata_entry(wire::Range range) const;

    wire::Source source_;
    Room room_;
    std::size_t taken_ = 0;
    Outline outline_;
    std::size_t position_ = 0;
    std::size_t plane_end_ = 0;  // 0 outside of a plane
    bool in_cut_line_ = false;
};

// The name in an XStatMetadata message.
wire::Range stat_metadata_name(const wire::Source& source, wire::Range message);

}  // namespace tilescope::xspace
