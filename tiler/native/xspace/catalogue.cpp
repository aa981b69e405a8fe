#include "xspace/catalogue.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "columns/direct_key.hpp"
#include "columns/utf8.hpp"

namespace tilescope::xspace {

using wire::bytes_field;
using wire::Cursor;

namespace {

constexpr std::size_t copies = 4; // of each name's bytes: here, in Python, in the run's table, when they are written

// Nobody has read metadata without events before, and nothing that is shown depends on it: damage in it is no reason to
// refuse the file.
bool has_stats(const wire::Source& source, wire::Range message) {
    bool any = false;
    try {
        Cursor cursor(source, message, "event metadata");
        while (!cursor.at_end()) {
            const std::uint32_t tag = cursor.tag();
            any = any || tag == bytes_field(5);
            cursor.skip(tag);
        }
    } catch (const wire::Error&) {
        return false;
    }
    return any;
}

}  // namespace

MetadataFields fields_of(const wire::Source& source, wire::Range message) {
    MetadataFields fields;
    Cursor cursor(source, message, "event metadata");
    while (!cursor.at_end()) {
        const std::size_t begin = cursor.offset();
        const std::uint32_t tag = cursor.tag();
        switch (tag) {
        case bytes_field(2): fields.name = cursor.bytes("name"); break;
        case bytes_field(4): fields.display_name = cursor.bytes("name"); break;
        case bytes_field(5):
            if (fields.stats.size() == 0) fields.stats.begin = begin;
            fields.stats.end = cursor.bytes("stat").end;
            break;
        default: cursor.skip(tag);
        }
    }
    return fields;
}

Catalogue::Catalogue(const wire::Source& source, const Outline& outline, const std::vector<LineSurvey>& surveys,
                     const Room& room)
    : source_(source), outline_(outline), surveys_(surveys), room_(room), numbers_(outline.planes.size()) {
    // As many as there may be, but for ids without metadata: vectors that double are in memory twice while they grow, and what
    // is not used of these takes none.
    std::size_t entries = 0;
    for (const Plane& plane : outline.planes) entries += plane.event_metadata.size();
    used_.reserve(entries);
    messages_.reserve(entries);
    used_names_.reserve(entries);
    go_to_plane(0);
}

void Catalogue::go_to_plane(std::size_t plane) {
    plane_ = plane;
    line_ = lines_end_;
    while (lines_end_ < outline_.lines.size() && outline_.lines[lines_end_].plane == plane) ++lines_end_;
}

bool Catalogue::advance(std::size_t surveyed) {
    if (is_complete() || lines_end_ > surveyed) return false;
    find_used();
    find_unused();
    go_to_plane(plane_ + 1);
    return true;
}

void Catalogue::find_used() {
    const std::size_t plane = plane_;
    const Plane& plane_outline = outline_.planes[plane];
    const auto has_events = [](const LineSurvey& survey) { return !survey.metadata_ids.empty(); };
    const auto survey_of = [&](std::size_t line) { return surveys_.begin() + static_cast<std::ptrdiff_t>(line); };
    const CategoryStat categories(source_, plane_outline);
    IdTable entry_of;
    if (std::any_of(survey_of(line_), survey_of(lines_end_), has_events)) {
        numbers_[plane] = entry_of = IdTable(plane_outline.event_metadata.size());
        for (std::size_t k = 0; k < plane_outline.event_metadata.size(); ++k)
            entry_of.set(plane_outline.event_metadata[k].id, static_cast<std::int32_t>(k));
    }
    for (; line_ < lines_end_; ++line_) {
        for (const std::int64_t id : surveys_[line_].metadata_ids) {
            if (numbers_[plane].find(id) != IdTable::absent) continue;
            const std::int32_t entry = entry_of.find(id);  // ids without metadata get a number, too
            const auto number = static_cast<std::int32_t>(used_.size());
            const std::size_t named = names_.size(), name_bytes = names_.bytes();
            const MetadataEntry* metadata =
                entry == IdTable::absent ? nullptr : &plane_outline.event_metadata[static_cast<std::size_t>(entry)];
            used_.push_back(
                {static_cast<std::uint32_t>(plane), name_of(metadata, id, plane_outline.is_cut, categories), id});
            messages_.push_back(metadata == nullptr ? wire::Range{} : metadata->value);
            used_names_.push_back(used_.back().name_index);
            taken_ += used_.back().size();
            if (names_.size() > named) taken_ += room_.per_name + copies * (names_.bytes() - name_bytes);
            if (taken_ > room_.bytes)
                throw wire::LimitReached("has more than " + std::to_string(used_.size()) + " names of events",
                                         plane_outline.name.begin);
            numbers_[plane].set(id, number);
        }
        taken_ += table_flow_bytes * surveys_[line_].table_flows.size();
        if (taken_ > room_.bytes)
            throw wire::LimitReached("has too many names of events and flow ends of ids beyond 2**48",
                                     plane_outline.name.begin);
        for (const auto& [type, id] : surveys_[line_].table_flows) flows_.intern(type, id);
    }
}

std::int64_t Catalogue::flow_key(std::uint64_t type, std::uint64_t id) const {
    if (const auto key = direct_key(type, id)) return *key;
    const std::int64_t number = flows_.find(type, id);
    return number < 0 ? number : kTableKey | number;
}

void Catalogue::find_unused() {
    const std::size_t plane = plane_;
    const std::vector<MetadataEntry>& entries = outline_.planes[plane].event_metadata;
    IdTable last_of(entries.size());
    for (std::size_t k = 0; k < entries.size(); ++k) last_of.set(entries[k].id, static_cast<std::int32_t>(k));
    for (std::size_t k = 0; k < entries.size(); ++k) {
        const MetadataEntry& entry = entries[k];
        if (numbers_[plane].find(entry.id) != IdTable::absent || last_of.find(entry.id) != static_cast<std::int32_t>(k))
            continue;
        if (!has_stats(source_, entry.value)) continue;
        unused_.push_back({plane, entry.id, entry.value});
        taken_ += 2 * sizeof(UnusedMetadata);
        if (taken_ > room_.bytes)
            throw wire::LimitReached("has more than " + std::to_string(unused_.size()) + " metadata with stats",
                                     entry.value.begin);
    }
}

std::int32_t Catalogue::name_of(const MetadataEntry* entry, std::int64_t id, bool plane_is_cut,
                                const CategoryStat& categories) {
    if (entry == nullptr && plane_is_cut)
        return intern("[event " + std::to_string(id) + "]", {});  // its name stood behind the cut
    const MetadataFields fields = entry == nullptr ? MetadataFields{} : fields_of(source_, entry->value);
    const std::string_view name =
        wire::text(source_, fields.display_name.size() != 0 ? fields.display_name : fields.name);
    return intern(name.empty() ? "[no name]" : name, categories.category(fields.stats));
}

std::int32_t Catalogue::intern(std::string_view name, std::string_view category) {
    // Planes of one program have most of their names in the same order. Bytes that are known are valid.
    const std::int32_t next = last_name_ + 1;
    if (static_cast<std::size_t>(next) < names_.size() && names_.text(next) == name &&
        names_.category(next) == category)
        return last_name_ = next;
    if (utf8::is_valid(name) && utf8::is_valid(category)) return last_name_ = names_.intern(name, category);
    return last_name_ = names_.intern(utf8::repaired(name), utf8::repaired(category));
}

}  // namespace tilescope::xspace
