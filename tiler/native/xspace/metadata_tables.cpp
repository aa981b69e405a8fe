#include "xspace/metadata_tables.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string_view>

#include "columns/utf8.hpp"

namespace tilescope::xspace {

namespace {

// Longer messages of metadata without events are rare, and programs may be among them: they are not compared.
constexpr std::size_t max_compared = std::size_t{4} << 10;

// A column of texts: the lengths, all lowest bytes first, then all the next ones; and the texts one behind the other.
class TextColumn {
  public:
    void add(std::string_view text) {
        if (text.size() > UINT32_MAX) throw std::length_error("a text of metadata is longer than 4 GB");
        lengths_.push_back(static_cast<std::uint32_t>(text.size()));
        texts_ += text;
    }

    void write_lengths(std::string& out) const {
        for (unsigned shift = 0; shift < 32; shift += 8)
            for (const std::uint32_t length : lengths_) out.push_back(static_cast<char>(length >> shift & 0xff));
    }

    std::size_t size() const { return lengths_.size(); }
    const std::string& texts() const { return texts_; }

  private:
    std::vector<std::uint32_t> lengths_;
    std::string texts_;
};

std::string joined(const std::vector<TextColumn>& columns) {
    std::string out;
    const std::size_t count = columns.front().size();
    for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(count >> shift & 0xff));
    for (const TextColumn& column : columns) column.write_lengths(out);
    for (const TextColumn& column : columns) out += column.texts();
    return out;
}

}  // namespace

MetadataTables::MetadataTables(const wire::Source& source, const Catalogue& catalogue, const HloStats& hlo,
                               Span<const std::int32_t> plane_class)
    : source_(source), catalogue_(catalogue), hlo_(hlo), plane_class_(plane_class.begin(), plane_class.end()) {
    const std::size_t count = catalogue.used_metadata().size() + catalogue.unused_metadata().size();
    columns_.plane.reserve(count);
    columns_.id.reserve(count);
    columns_.name_index.reserve(count);
    columns_.alike.reserve(count);
    const auto add = [&](std::size_t plane, std::int64_t id, std::int32_t name_index) {
        if (plane >= plane_class_.size()) throw std::invalid_argument("a plane without a class");
        columns_.plane.push_back(static_cast<std::int32_t>(plane));
        columns_.id.push_back(id);
        columns_.name_index.push_back(name_index);
    };
    for (const UsedMetadata& of : catalogue.used_metadata()) add(of.plane, of.id, of.name_index);
    for (const UnusedMetadata& of : catalogue.unused_metadata()) add(of.plane, of.id, -1);
}

bool MetadataTables::advance(std::size_t count) {
    const std::size_t all = columns_.plane.size();
    const std::size_t end = columns_.alike.size() + std::min(count, all - columns_.alike.size());
    for (std::size_t number = columns_.alike.size(); number < end; ++number) {
        const auto own = static_cast<std::int32_t>(number);
        const std::int32_t other = first_of_.emplace(hash_of(number, class_of(number)), own).first->second;
        const auto before = static_cast<std::size_t>(other);
        const bool same = other != own && class_of(number) == class_of(before) && is_alike(number, before);
        columns_.alike.push_back(same ? other : own);
        if (!same) entries_.push_back(own);
    }
    if (end == all) first_of_ = {};
    return end < all;
}

std::size_t MetadataTables::hash_of(std::size_t number, std::int32_t plane_class) const {
    std::size_t hash = static_cast<std::size_t>(plane_class);
    const auto mix = [&](const wire::Range& range) {
        hash = hash * 0x9e3779b97f4a7c15u + std::hash<std::string_view>{}(wire::text(source_, range));
    };
    if (is_used(number)) {
        const MetadataFields of = fields_of(source_, used(number).message);
        mix(of.name);
        mix(of.display_name);
        mix(of.stats);
    } else if (unused(number).message.size() <= max_compared) {
        mix(unused(number).message);
    } else {
        hash += number * 0x9e3779b97f4a7c15u;
    }
    return hash;
}

bool MetadataTables::is_alike(std::size_t one, std::size_t other) const {
    const auto same = [this](const wire::Range& a, const wire::Range& b) {
        return wire::text(source_, a) == wire::text(source_, b);
    };
    if (is_used(one) != is_used(other)) return false;
    if (!is_used(one))
        return unused(one).message.size() <= max_compared && same(unused(one).message, unused(other).message);
    if (used(one).name_index != used(other).name_index) return false;
    const MetadataFields a = fields_of(source_, used(one).message), b = fields_of(source_, used(other).message);
    return same(a.name, b.name) && same(a.display_name, b.display_name) && same(a.stats, b.stats);
}

Span<const std::int32_t> MetadataTables::on_page(std::size_t page, std::size_t per_page) const {
    if (page >= pages(per_page)) throw std::invalid_argument("there is no such page");
    const std::size_t first = page * per_page;
    return Span<const std::int32_t>(entries_).subspan(first, std::min(per_page, entries_.size() - first));
}

std::string MetadataTables::stats(std::size_t page, std::size_t per_page) const {
    std::vector<TextColumn> columns(1);
    std::string stats;
    for (const std::int32_t entry : on_page(page, per_page)) {
        const auto number = static_cast<std::size_t>(entry);
        stats.clear();
        if (is_used(number)) {
            each_stat_field(source_, fields_of(source_, used(number).message).stats,
                            [&](wire::Range stat) { stats += wire::text(source_, stat); });
        } else {
            stats = table_entry(source_, hlo_, unused(number)).stats;
        }
        columns.front().add(stats);
    }
    return joined(columns);
}

std::string MetadataTables::texts(std::size_t page, std::size_t per_page) const {
    std::vector<TextColumn> columns(2);
    for (const std::int32_t entry : on_page(page, per_page)) {
        const auto number = static_cast<std::size_t>(entry);
        wire::Range name, display_name;
        if (is_used(number)) {
            const MetadataFields of = fields_of(source_, used(number).message);
            name = of.name;
            display_name = of.display_name;
        } else {
            const TableEntry of = table_entry(source_, hlo_, unused(number));
            name = of.name;
            display_name = of.display_name;
        }
        const std::string whole = utf8::repaired(wire::text(source_, name));
        const std::string shown = utf8::repaired(wire::text(source_, display_name));
        if (is_used(number)) columns[0].add("");
        else columns[0].add(shown.empty() ? whole : shown);
        columns[1].add(shown.empty() || shown == whole ? "" : whole);
    }
    return joined(columns);
}

}  // namespace tilescope::xspace
