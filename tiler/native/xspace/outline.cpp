#include "xspace/outline.hpp"

#include <algorithm>

namespace tilescope::xspace {

using wire::bytes_field;
using wire::Cursor;
using wire::Range;
using wire::varint_field;

namespace {

// The distance ahead of an entry at which the bytes of others are fetched: 181,000 entries of 450 bytes took 32 ms
// without, 7 ms with it.
constexpr std::size_t fetched_ahead = 1536;
constexpr std::size_t most_fetched = 1024;

}  // namespace

void OutlineReader::forget_event_metadata(std::size_t plane) {
    std::vector<MetadataEntry>().swap(outline_.planes[plane].event_metadata);
}

bool OutlineReader::advance(std::size_t stop) {
    stop = std::min(stop, source_.size());
    while (position_ < stop || (plane_end_ != 0 && position_ == plane_end_)) {
        try {
            field();
        } catch (const wire::CutShort& cut) {
            // At the end of the file, in the field at `position_`, which is the last one.
            outline_.cut = Cut{cut.what(), position_};
            if (in_cut_line_) outline_.lines.back().body.end = position_;
            position_ = source_.size();
            plane_end_ = 0;
        }
    }
    return position_ < source_.size();
}

void OutlineReader::field() {
    if (plane_end_ == 0) file_field();
    else if (position_ == plane_end_) plane_end_ = 0;
    else if (in_cut_line_) cut_line_field();
    else plane_field();
}

void OutlineReader::file_field() {
    Cursor cursor = Cursor::to_file_end(source_, position_, "trace");
    const std::uint32_t tag = cursor.tag();
    switch (tag) {
    case bytes_field(1): {
        bool is_cut = false;
        const Range plane = cursor.bytes_or_rest("plane", is_cut);
        take(room_.per_plane, "planes");
        outline_.planes.emplace_back();
        outline_.planes.back().is_cut = is_cut;
        if (is_cut) outline_.cut = Cut{"the file ends inside a plane", position_};
        position_ = plane.begin;
        plane_end_ = plane.end;
        return;
    }
    case bytes_field(2):
        take(room_.per_name, "messages");
        outline_.errors.push_back(cursor.bytes("message"));
        break;
    case bytes_field(3):
        take(room_.per_name, "messages");
        outline_.warnings.push_back(cursor.bytes("message"));
        break;
    case bytes_field(4):
        take(room_.per_name, "host names");
        outline_.hostnames.push_back(cursor.bytes("host name"));
        break;
    default: cursor.skip_unknown(tag, 4);
    }
    position_ = cursor.offset();
}

void OutlineReader::plane_field() {
    Plane& plane = outline_.planes.back();
    Cursor cursor = plane.is_cut ? Cursor::to_file_end(source_, position_, "plane")
                                 : Cursor(source_, {position_, plane_end_}, "plane");
    const std::uint32_t tag = cursor.tag();
    switch (tag) {
    case varint_field(1): cursor.varint(); break;
    case bytes_field(2): plane.name = cursor.bytes("name"); break;
    case bytes_field(3): {
        const Range line = cursor.bytes_or_rest("line", in_cut_line_);
        take(room_.per_line, "lines");
        outline_.lines.push_back({outline_.planes.size() - 1, line});
        if (!in_cut_line_) break;
        outline_.cut = Cut{"the file ends inside a line", position_};
        position_ = line.begin;
        return;
    }
    case bytes_field(4): {
        take(sizeof(MetadataEntry) * 4, "event metadata");
        const Range entry = cursor.bytes("metadata entry");
        wire::fetch_ahead(source_, entry.end + fetched_ahead, std::min(entry.size(), most_fetched));
        plane.event_metadata.push_back(metadata_entry(entry));
        break;
    }
    case bytes_field(5):
        take(room_.per_name, "stat metadata");
        plane.stat_metadata.push_back(metadata_entry(cursor.bytes("metadata entry")));
        break;
    case bytes_field(6):
        take(room_.per_name, "stats of planes");
        plane.stats.push_back(cursor.bytes("stat"));
        break;
    default: cursor.skip_unknown(tag, 6);
    }
    position_ = cursor.offset();
}

void OutlineReader::take(std::size_t bytes, const char* what) {
    taken_ += bytes;
    if (taken_ > room_.bytes)
        throw wire::LimitReached("has too many " + std::string(what) + " (" + std::to_string(outline_.planes.size()) +
                                     " planes, " + std::to_string(outline_.lines.size()) + " lines and more)",
                                 position_);
}

void OutlineReader::cut_line_field() {
    Cursor cursor = Cursor::to_file_end(source_, position_, "line");
    const std::uint32_t tag = cursor.tag();
    if (tag == bytes_field(4)) cursor.bytes("event");
    else cursor.skip(tag);
    position_ = cursor.offset();
}

MetadataEntry OutlineReader::metadata_entry(Range range) const {
    MetadataEntry entry;
    entry.value = {range.end, range.end};
    Cursor cursor(source_, range, "metadata entry");
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        switch (tag) {
        case varint_field(1): entry.id = cursor.signed_varint(); break;
        case bytes_field(2): entry.value = cursor.bytes("metadata"); break;
        default: cursor.skip_unknown(tag, 2);
        }
    }
    return entry;
}

Range stat_metadata_name(const wire::Source& source, Range message) {
    Range name{message.end, message.end};
    Cursor cursor(source, message, "stat metadata");
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        if (tag == bytes_field(2)) name = cursor.bytes("name");
        else cursor.skip(tag);
    }
    return name;
}

}  // namespace tilescope::xspace
