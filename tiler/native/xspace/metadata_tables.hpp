// Tables of the metadata of events, as a store keeps them: columns of all of it, and its names and stats once for all
// that are alike, in pages. See tiler/details/xstat_tables.py, which reads them.
#pragma once

#include "xspace/catalogue.hpp"
#include "xspace/outline.hpp"
#include "xspace/separate_pieces.hpp"
#include "xspace/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilescope::xspace {

// Columns: metadata that events use by its numbers, then that which none uses.
struct MetadataColumns {
    std::vector<std::int32_t> plane;
    std::vector<std::int64_t> id;
    std::vector<std::int32_t> name_index;  // -1: no event uses it
    std::vector<std::int32_t> alike;  // the first number with the same names and stats
};

// Texts of one stat of some entries: the place of each entry's text, -1: it has none.
struct StatTexts {
    // A text, or what refers to one: the id of a stat's name on a plane.
    struct Text {
        std::string text;
        std::int32_t plane = -1;  // -1: it is `text`
        std::int64_t reference = 0;
    };
    std::vector<std::int32_t> place;
    std::vector<Text> texts;
};

class MetadataTables {
  public:
    // Complete when `advance` has nothing more to do. `plane_class`: planes of one class call their stats the same. All else
    // that is passed is kept by reference.
    MetadataTables(const wire::Source& source, const Catalogue& catalogue, const HloStats& hlo,
                   Span<const std::int32_t> plane_class);

    // Looks at so many more numbers; true while there are more.
    bool advance(std::size_t count);

    // Columns of all metadata; to be asked for once all of it was looked at. Each call makes them anew, and none are kept: a
    // pod has millions of rows.
    MetadataColumns columns() const;

    // Number of entries, which are the first of their kind: these are in the pages, so many on each.
    std::size_t entries() const { return entries_.size(); }
    std::size_t pages(std::size_t per_page) const { return (entries() + per_page - 1) / per_page; }

    // The stats of the entries of a page, and their texts: of each its name where no event uses it, then of each the longer
    // name that it has beside.
    std::string stats(std::size_t page, std::size_t per_page) const;
    std::string texts(std::size_t page, std::size_t per_page) const;

    // Texts of the stat that has one of these ids on each plane, where it is a text; of `count` entries from `first`
    // on. Damaged stats have none, nor does metadata that no event uses.
    StatTexts stat_texts(const std::vector<std::vector<std::int64_t>>& ids_of_plane, std::size_t first,
                         std::size_t count) const;

  private:
    // The first number of its kind, and its message: those of all others may be forgotten when all are looked at.
    struct Entry {
        std::size_t number = 0;
        wire::Range message;
    };

    std::int32_t class_of(std::size_t number) const { return plane_class_[plane_of(number)]; }
    std::size_t plane_of(std::size_t number) const {
        return is_used(number) ? used(number).plane : unused(number).plane;
    }
    std::size_t hash_of(std::size_t number) const;
    bool is_alike_entry(std::size_t number, std::size_t entry) const;
    bool is_alike(std::size_t number, const Entry& entry) const;
    bool is_used(std::size_t number) const { return number < catalogue_.used_metadata().size(); }
    const UsedMetadata& used(std::size_t number) const { return catalogue_.used_metadata()[number]; }
    wire::Range message_of(std::size_t number) const {
        return is_used(number) ? catalogue_.message_of(number) : unused(number).message;
    }
    const UnusedMetadata& unused(std::size_t number) const {
        return catalogue_.unused_metadata()[number - catalogue_.used_metadata().size()];
    }
    Span<const Entry> on_page(std::size_t page, std::size_t per_page) const;

    const wire::Source& source_;
    const Catalogue& catalogue_;
    const HloStats& hlo_;
    std::vector<std::int32_t> plane_class_;
    std::size_t count_;  // of numbers
    std::vector<std::int32_t> alike_;  // of those that were looked at
    std::vector<Entry> entries_;
    std::unordered_map<std::size_t, std::size_t> first_of_;  // index into entries_ by hash, until all are looked at

    // The entry behind the one that the number before is alike to: planes of one program have most of their metadata in
    // the same order, and what is like that needs no hash.
    std::size_t next_entry_ = 0;
};

}  // namespace tilescope::xspace
