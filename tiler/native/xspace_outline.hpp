// The first pass over an XSpace: where planes, lines and metadata lie.
//
// Map entries may come after the lines that use them, so everything is found first, as byte ranges. Lines are stepped
// over: `survey_line` looks into them, several at a time.
#pragma once

#include "wire.hpp"

#include <cstddef>
#include <cstdint>
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
    std::vector<MetadataEntry> event_metadata;  // in file order; of equal ids the last counts
    std::vector<MetadataEntry> stat_metadata;
    std::vector<wire::Range> stats;  // XStat messages
};

struct Outline {
    std::vector<Plane> planes;
    std::vector<Line> lines;  // those of a plane are neighbours, planes in order
    std::vector<wire::Range> errors;
    std::vector<wire::Range> warnings;
    std::vector<wire::Range> hostnames;
};

class OutlineReader {
  public:
    explicit OutlineReader(wire::Source source) : source_(source) {}

    // Reads on until the position is at least `stop`; true while there is more. Throws wire::Error.
    bool advance(std::size_t stop);

    std::size_t position() const { return at_; }
    const Outline& outline() const { return outline_; }

  private:
    void file_field();
    void plane_field();
    MetadataEntry metadata_entry(wire::Range range) const;

    wire::Source source_;
    Outline outline_;
    std::size_t at_ = 0;
    std::size_t plane_end_ = 0;  // 0 outside of a plane
};

// Of an XStatMetadata message.
wire::Range stat_metadata_name(const wire::Source& source, wire::Range message);

}  // namespace tilescope::xspace
