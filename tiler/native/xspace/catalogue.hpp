// The catalogue that the lines of an XSpace share once all have been surveyed: names, numbers of metadata and of flows.
// Read-only then, so that lines can be decoded side by side.
#pragma once

#include "columns/name_entries.hpp"
#include "xspace/category_stat.hpp"
#include "xspace/flows.hpp"
#include "xspace/outline.hpp"
#include "xspace/survey.hpp"
#include "xspace/tables.hpp"
#include "xspace/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tilescope::xspace {

// An event metadata that events use. Its number, the index in the catalogue's list, begins the arguments of those events.
struct UsedMetadata {
    std::uint32_t plane = 0;
    std::int32_t name_index = 0;
    std::int64_t id = 0;

    // Memory that it takes in bytes, with its message, and its columns: names are counted once, and stats stay in the
    // file.
    std::size_t size() const { return 2 * (sizeof(*this) + sizeof(wire::Range)); }
};

// Fields of its message.
struct MetadataFields {
    wire::Range name;
    wire::Range display_name;
    wire::Range stats;  // from the first field of a stat to the end of the last; see each_stat_field
};
MetadataFields fields_of(const wire::Source& source, wire::Range message);

// Fields of stats with their tags, in the order of the file. Other fields may stand between them.
template <typename Take>
void each_stat_field(const wire::Source& source, wire::Range stats, Take take) {
    wire::Cursor cursor(source, stats, "event metadata");
    while (!cursor.at_end()) {
        const std::size_t begin = cursor.offset();
        const std::uint32_t tag = cursor.tag();
        if (tag == wire::bytes_field(5)) take(wire::Range{begin, cursor.bytes("stat").end});
        else cursor.skip(tag);
    }
}

// One that no event uses. Its message is whole: nothing in it throws.
struct UnusedMetadata {
    std::size_t plane = 0;
    std::int64_t id = 0;
    wire::Range message;
};

class Catalogue {
  public:
    // Complete when `advance` has nothing more to do. All that is referred to must outlive it.
    Catalogue(const wire::Source& source, const Outline& outline, const std::vector<LineSurvey>& surveys,
              const Room& room);

    // Reads the metadata of one more plane, if all of its lines are among the first ones, so many, which have been surveyed.
    // False: it is not yet time for the next one, or there is none. Numbers are given in the order of first use, lines in file
    // order. Throws wire::Error, wire::LimitReached when the names take more than `room`.
    bool advance(std::size_t surveyed);

    bool is_complete() const { return plane_ == outline_.planes.size(); }
    std::size_t planes() const { return plane_; }  // whose metadata has been read

    // Names and categories of the events of each metadata, numbered in the order of first use. Invalid UTF-8 is
    // replaced first, so that names are still distinct as text.
    const NameEntries& names() const { return names_; }
    const std::vector<UsedMetadata>& used_metadata() const { return used_; }

    // The message of metadata that events use, by its number: empty where the file says nothing of it. Throws
    // std::out_of_range for a number that there is not, or when they are forgotten.
    wire::Range message_of(std::size_t number) const { return messages_.at(number); }

    // Forgets the messages, once nobody will ask for them any more: 16 bytes for each.
    void forget_messages() { std::vector<wire::Range>().swap(messages_); }

    // The key of a flow, which says which ends belong together.
    std::int64_t flow_key(std::uint64_t type, std::uint64_t id) const;

    // Metadata that no event uses, and that has stats, in the order of the file. Where several have one id, the last.
    const std::vector<UnusedMetadata>& unused_metadata() const { return unused_; }

    // The number of a metadata id that an event of the plane uses.
    std::int32_t number(std::size_t plane, std::int64_t id) const { return numbers_[plane].find(id); }
    const IdTable& numbers(std::size_t plane) const { return numbers_[plane]; }  // by the id
    std::int32_t name_of(std::int32_t number) const { return used_names_[static_cast<std::size_t>(number)]; }

  private:
    void find_used();  // by the lines of the next plane
    void find_unused();
    void go_to_plane(std::size_t plane);
    std::int32_t name_of(const MetadataEntry* entry, std::int64_t id, bool plane_is_cut,
                         const CategoryStat& categories);
    std::int32_t intern(std::string_view name, std::string_view category);

    const wire::Source& source_;
    const Outline& outline_;
    const std::vector<LineSurvey>& surveys_;
    Room room_;
    std::size_t plane_ = 0;  // the next one
    std::size_t line_ = 0, lines_end_ = 0;  // its lines
    std::size_t taken_ = 0;  // of the room
    NameEntries names_;
    std::int32_t last_name_ = -1;  // that was looked up
    FlowTable flows_;
    std::vector<UsedMetadata> used_;
    std::vector<wire::Range> messages_;  // of `used_`, until they are forgotten
    std::vector<UnusedMetadata> unused_;
    std::vector<std::int32_t> used_names_;  // their name_index, dense: it is looked up for each event
    std::vector<IdTable> numbers_;  // by plane: metadata id → index into used_
};

}  // namespace tilescope::xspace
