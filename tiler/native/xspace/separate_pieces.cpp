#include "xspace/separate_pieces.hpp"

#include "xspace/event.hpp"

#include <algorithm>
#include <string_view>

namespace tilescope::xspace {

using wire::bytes_field;
using wire::Cursor;
using wire::Range;
using wire::varint_field;

namespace {

constexpr std::string_view hlo_plane = "/host:metadata";
constexpr std::size_t max_name = 4096;
constexpr std::string_view hlo_stats[] = {"Hlo Proto", "hlo_proto"};

struct StatIds {
    std::int64_t metadata_id = 0;
    std::int64_t reference = 0;
    bool refers = false;
    bool holds_bytes = false;
    Range bytes;
};

// False for a damaged stat.
bool read_stat(const wire::Source& source, Range message, StatIds& stat) {
    try {
        Cursor cursor(source, message, "stat");
        while (!cursor.at_end()) {
            const std::uint32_t tag = cursor.tag();
            switch (tag) {
            case varint_field(1): stat.metadata_id = cursor.signed_varint(); break;
            case bytes_field(6):
                stat.bytes = cursor.bytes("value");
                stat.holds_bytes = true;
                break;
            case varint_field(7):
                stat.reference = cursor.signed_varint();
                stat.refers = true;
                break;
            default: cursor.skip(tag);
            }
        }
    } catch (const wire::Error&) {
        return false;
    }
    return true;
}

// Calls `on_stat` with the field, and with the message in it, of each stat of a message.
template <typename OnStat>
void each_stat(const wire::Source& source, Range metadata, OnStat&& on_stat) {
    Cursor cursor(source, metadata, "event metadata");
    while (!cursor.at_end()) {
        const std::size_t begin = cursor.offset();
        const std::uint32_t tag = cursor.tag();
        if (tag == bytes_field(5)) {
            const Range message = cursor.bytes("stat");
            on_stat(Range{begin, message.end}, message);
        } else {
            cursor.skip(tag);
        }
    }
}

void append_varint(std::uint64_t value, std::string& out) {
    for (; value > 0x7f; value >>= 7) out.push_back(static_cast<char>((value & 0x7f) | 0x80));
    out.push_back(static_cast<char>(value));
}

std::string field_head(std::uint32_t number, std::size_t size) {
    std::string out;
    append_varint(bytes_field(number), out);
    append_varint(size, out);
    return out;
}

// Field 2 or 4, cut where it is longer than any name.
Range name_of(const wire::Source& source, Range metadata, std::uint32_t number) {
    Range name;
    Cursor cursor(source, metadata, "event metadata");
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        if (tag == bytes_field(number)) name = cursor.bytes("name");
        else cursor.skip(tag);
    }
    return {name.begin, std::min(name.end, name.begin + max_name)};
}

class Finder {
  public:
    Finder(const wire::Source& source, const Outline& outline, const Catalogue& catalogue, const HloStats& hlo,
           std::size_t limit)
        : source_(source), outline_(outline), catalogue_(catalogue), hlo_(hlo), limit_(limit) {}

    SeparatePieces find() {
        for (std::size_t number = 0; number < catalogue_.used_metadata().size(); ++number) {
            const UsedMetadata& metadata = catalogue_.used_metadata()[number];
            if (hlo_.any(metadata.plane)) {
                const MetadataFields fields = fields_of(source_, catalogue_.message_of(number));
                each_stat_field(source_, fields.stats, [&](Range stat) {
                    take_proto(metadata.plane, metadata.id, fields.name, message_of(stat));
                });
            }
        }
        for (const UnusedMetadata& metadata : catalogue_.unused_metadata()) take_unused(metadata);
        for (const Line& line : outline_.lines)
            if (hlo_.any(line.plane)) find_in_line(line);
        return std::move(pieces_);
    }

  private:
    void take_unused(const UnusedMetadata& metadata) {
        // Its stats are no longer than all of it: most is not looked at, however much of it there is.
        if (metadata.message.size() <= max_table_stats && !hlo_.any(metadata.plane)) return;
        const Range name = name_of(source_, metadata.message, 2);
        std::size_t others = 0;
        each_stat(source_, metadata.message, [&](Range field, Range message) {
            if (!take_proto(metadata.plane, metadata.id, name, message)) others += field.size();
        });
        if (others > max_table_stats) add({metadata.plane, metadata.id, name, false, metadata.message});
    }

    bool take_proto(std::size_t plane, std::int64_t id, Range name, Range message) {
        Range proto;
        if (!hlo_.read(plane, message, proto)) return false;
        add({plane, id, name, true, proto});
        return true;
    }

    Range message_of(Range field) const {
        Cursor cursor(source_, field, "event metadata");
        cursor.tag();
        return cursor.bytes("stat");
    }

    // Earlier profilers put the protos on events.
    void find_in_line(const Line& line) {
        Cursor cursor(source_, line.body, "line");
        Event event;
        std::vector<Range> protos;  // of an event, whose name is known behind its stats
        while (!cursor.at_end()) {
            const std::uint32_t tag = cursor.tag();
            if (tag != bytes_field(4)) {
                cursor.skip(tag);
                continue;
            }
            protos.clear();
            read_event(cursor, event, [&](Range stat) {
                Range proto;
                if (!hlo_.read(line.plane, stat, proto)) return;
                if (protos.size() < limit_) protos.push_back(proto);
                else ++pieces_.more;
            });
            const std::int32_t number = catalogue_.number(line.plane, event.metadata_id);
            const Range name = number == IdTable::absent
                                   ? Range{}
                                   : fields_of(source_, catalogue_.message_of(static_cast<std::size_t>(number))).name;
            for (const Range& proto : protos) add({line.plane, event.metadata_id, name, true, proto});
        }
    }

    void add(SeparatePiece piece) {
        if (pieces_.pieces.size() < limit_) pieces_.pieces.push_back(piece);
        else ++pieces_.more;
    }

    const wire::Source& source_;
    const Outline& outline_;
    const Catalogue& catalogue_;
    const HloStats& hlo_;
    std::size_t limit_;
    SeparatePieces pieces_;
};

}  // namespace

HloStats::HloStats(const wire::Source& source, const Outline& outline) : source_(source), ids_(outline.planes.size()) {
    for (std::size_t plane = 0; plane < outline.planes.size(); ++plane) {
        if (wire::text(source, outline.planes[plane].name) != hlo_plane) continue;
        for (const MetadataEntry& entry : outline.planes[plane].stat_metadata) {
            const std::string_view name = wire::text(source, stat_metadata_name(source, entry.value));
            ids_[plane].erase(entry.id);  // of equal ids the last counts
            if (std::find(std::begin(hlo_stats), std::end(hlo_stats), name) != std::end(hlo_stats))
                ids_[plane].insert(entry.id);
        }
    }
}

bool HloStats::read(std::size_t plane, Range message, Range& bytes) const {
    StatIds stat;
    if (ids_[plane].empty() || !read_stat(source_, message, stat)) return false;
    if (!stat.holds_bytes || ids_[plane].count(stat.metadata_id) == 0) return false;
    bytes = stat.bytes;
    return true;
}

TableEntry table_entry(const wire::Source& source, const HloStats& hlo, const UnusedMetadata& metadata) {
    TableEntry entry;
    entry.name = name_of(source, metadata.message, 2);
    entry.display_name = name_of(source, metadata.message, 4);
    bool too_long = false;
    Range proto;
    each_stat(source, metadata.message, [&](Range field, Range message) {
        if (too_long || hlo.read(metadata.plane, message, proto)) return;
        too_long = entry.stats.size() + field.size() > max_table_stats;
        if (!too_long) entry.stats += wire::text(source, field);
    });
    if (too_long) entry.stats.clear();
    return entry;
}

SeparatePieces find_separate_pieces(const wire::Source& source, const Outline& outline, const Catalogue& catalogue,
                                    const HloStats& hlo, std::size_t limit) {
    return Finder(source, outline, catalogue, hlo, limit).find();
}

PlaneStats::PlaneStats(const wire::Source& source, const Plane& plane) : source_(source), plane_(plane) {
    std::unordered_set<std::int64_t> wanted;
    for (const Range& range : plane.stats) {
        StatIds stat;
        if (!read_stat(source, range, stat)) continue;
        wanted.insert(stat.metadata_id);
        if (stat.refers) wanted.insert(stat.reference);
    }
    for (const MetadataEntry& entry : plane.stat_metadata)
        if (wanted.count(entry.id) != 0) names_.push_back(entry);
    for (std::size_t number = 0; number < parts(); ++number) {
        const Part stats_part = part(number);
        size_ += stats_part.head.size() + stats_part.bytes.size();
    }
}

std::size_t PlaneStats::parts() const { return 1 + names_.size() + plane_.stats.size(); }

PlaneStats::Part PlaneStats::part(std::size_t number) const {
    if (number == 0) return {field_head(2, plane_.name.size()), plane_.name};
    if (number <= names_.size()) {
        const MetadataEntry& entry = names_[number - 1];
        std::string key;
        append_varint(varint_field(1), key);
        append_varint(static_cast<std::uint64_t>(entry.id), key);
        key += field_head(2, entry.value.size());
        return {field_head(5, key.size() + entry.value.size()) + key, entry.value};
    }
    const Range stat = plane_.stats[number - 1 - names_.size()];
    return {field_head(6, stat.size()), stat};
}

std::string PlaneStats::next(std::size_t max_bytes) {
    std::string out;
    while (out.size() < max_bytes) {
        if (head_.empty() && rest_.size() == 0) {
            if (next_part_ == parts()) break;
            Part stats_part = part(next_part_++);
            head_ = std::move(stats_part.head);
            rest_ = stats_part.bytes;
        }
        const std::size_t of_head = std::min(head_.size(), max_bytes - out.size());
        out.append(head_, 0, of_head);
        head_.erase(0, of_head);
        const std::size_t of_rest = std::min(rest_.size(), max_bytes - out.size());
        out += wire::text(source_, {rest_.begin, rest_.begin + of_rest});
        rest_.begin += of_rest;
    }
    return out;
}

}  // namespace tilescope::xspace
