// Pieces of the metadata of an XSpace that are kept separately from tables of stats, as bytes under a name of their
// own: HLO protos, and metadata without events that would make tables large.
#pragma once

#include "xspace/catalogue.hpp"
#include "xspace/outline.hpp"
#include "xspace/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace tilescope::xspace {

struct SeparatePiece {
    std::size_t plane = 0;
    std::int64_t metadata_id = 0;
    wire::Range name;  // of the metadata
    bool is_hlo = false;  // the bytes of an HLO proto; else the whole XEventMetadata message
    wire::Range bytes;
};

// The stats that are HLO protos: those of bytes, of this name, in a plane of this name.
class HloStats {
  public:
    HloStats(const wire::Source& source, const Outline& outline);

    // True if the message of a stat is one; writes its bytes then. Damaged stats are none.
    bool read(std::size_t plane, wire::Range message, wire::Range& bytes) const;

    bool any(std::size_t plane) const { return !ids_[plane].empty(); }

  private:
    const wire::Source& source_;
    std::vector<std::unordered_set<std::int64_t>> ids_;  // by plane
};

// The stats of metadata are kept in tables up to this size, if no event uses it; HLO protos do not count.
constexpr std::size_t max_table_stats = std::size_t{64} << 10;

// The entry that tables have of metadata that no event uses. HLO protos are missing among the stats, and all of these
// where they are too long: both are pieces of their own.
struct TableEntry {
    wire::Range name;
    wire::Range display_name;
    std::string stats;  // fields with their tags, one after the other
};
TableEntry table_entry(const wire::Source& source, const HloStats& hlo, const UnusedMetadata& metadata);

// All pieces, in the order of the file; metadata first, then events of lines. At most `limit`, and how many there are beyond.
struct SeparatePieces {
    std::vector<SeparatePiece> pieces;
    std::uint64_t more = 0;
};
SeparatePieces find_separate_pieces(const wire::Source& source, const Outline& outline, const Catalogue& catalogue,
                                    const HloStats& hlo, std::size_t limit);

// The stats of a plane as an XPlane message that has its name, the names of the stats, and the stats as they lie in the
// file. In pieces, whatever their size.
class PlaneStats {
  public:
    PlaneStats(const wire::Source& source, const Plane& plane);

    std::uint64_t size() const { return size_; }

    // The next bytes: `max_bytes`, fewer only at the end.
    std::string next(std::size_t max_bytes);

  private:
    struct Part {
        std::string head;  // tag and length
        wire::Range bytes;
    };

    std::size_t parts() const;
    Part part(std::size_t number) const;

    const wire::Source& source_;
    const Plane& plane_;
    std::vector<MetadataEntry> names_;  // of the stats, and of those that they refer to
    std::uint64_t size_ = 0;
    std::size_t next_part_ = 0;
    std::string head_;  // of the current part, what is still to come
    wire::Range rest_;
};

}  // namespace tilescope::xspace
