#include "xspace/metadata_tables.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "columns/utf8.hpp"
#include "xspace/stat_codes.hpp"

namespace tilescope::xspace {

namespace {

// Longer messages of metadata without events are rare, and programs may be among them: they are not compared.
constexpr std::size_t max_compared = std::size_t{4} << 10;

constexpr std::uint32_t kText = 5, kReference = 7;  // fields of a stat

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

// A stat with its text, which lies in the file.
struct ResolvedStat {
    std::uint32_t form = 0;  // 0: nothing
    std::uint64_t bits = 0;
    std::string_view text;
};

// One stat of a plane, whose ids are known.
class OneStat {
  public:
    explicit OneStat(const std::vector<std::int64_t>& ids) : choice_({ids}) {
        for (const std::int64_t id : ids) {
            std::string& head = heads_.emplace_back(1, kIdTag);
            auto left = static_cast<std::uint64_t>(id);
            for (; left >= 0x80; left >>= 7) head.push_back(static_cast<char>((left & 0x7f) | 0x80));
            head.push_back(static_cast<char>(left));
        }
    }

    // The last of these fields that is it; nothing where one is damaged. Those that begin with another id are passed over.
    ResolvedStat read(const wire::Source& source, wire::Range message) const {
        ResolvedStat last;
        if (heads_.empty()) return last;
        try {
            wire::Cursor cursor(source, message, "event metadata");
            while (!cursor.at_end()) {
                const std::uint32_t tag = cursor.tag();
                if (tag == wire::bytes_field(5)) take(source, cursor.bytes("stat"), last);
                else cursor.skip(tag);
            }
        } catch (const wire::Error&) {
            return {};
        }
        return last;
    }

  private:
    static constexpr char kIdTag = 8;

    void take(const wire::Source& source, wire::Range stat, ResolvedStat& last) const {
        const std::string_view text = wire::text(source, stat);
        const auto is_head = [&](const std::string& head) { return text.substr(0, head.size()) == head; };
        if (!text.empty() && text.front() == kIdTag && std::none_of(heads_.begin(), heads_.end(), is_head)) return;
        StatValue value;
        choice_.read_one(source, stat, {&value, 1});
        if (value.form != 0) last = {value.form, value.bits, wire::text(source, value.text)};
    }

    StatChoice choice_;
    std::vector<std::string> heads_;  // what it begins with, where its id is written first
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
    : source_(source),
      catalogue_(catalogue),
      hlo_(hlo),
      plane_class_(plane_class.begin(), plane_class.end()),
      count_(catalogue.used_metadata().size() + catalogue.unused_metadata().size()) {
    const auto check = [&](std::size_t plane) {
        if (plane >= plane_class_.size()) throw std::invalid_argument("a plane without a class");
    };
    for (const UsedMetadata& metadata : catalogue.used_metadata()) check(metadata.plane);
    for (const UnusedMetadata& metadata : catalogue.unused_metadata()) check(metadata.plane);
    alike_.reserve(count_);
}

MetadataColumns MetadataTables::columns() const {
    MetadataColumns columns;
    columns.plane.reserve(count_);
    columns.id.reserve(count_);
    columns.name_index.reserve(count_);
    const auto add = [&](std::size_t plane, std::int64_t id, std::int32_t name_index) {
        columns.plane.push_back(static_cast<std::int32_t>(plane));
        columns.id.push_back(id);
        columns.name_index.push_back(name_index);
    };
    for (const UsedMetadata& metadata : catalogue_.used_metadata())
        add(metadata.plane, metadata.id, metadata.name_index);
    for (const UnusedMetadata& metadata : catalogue_.unused_metadata()) add(metadata.plane, metadata.id, -1);
    columns.alike = alike_;
    return columns;
}

bool MetadataTables::advance(std::size_t count) {
    const std::size_t end = alike_.size() + std::min(count, count_ - alike_.size());
    for (std::size_t number = alike_.size(); number < end; ++number) {
        if (next_entry_ == entries_.size() || !is_alike_entry(number, next_entry_)) {
            const std::size_t first = first_of_.emplace(hash_of(number), entries_.size()).first->second;
            next_entry_ = first != entries_.size() && is_alike_entry(number, first) ? first : entries_.size();
        }
        if (next_entry_ == entries_.size()) entries_.push_back({number, message_of(number)});
        alike_.push_back(static_cast<std::int32_t>(entries_[next_entry_].number));
        ++next_entry_;
    }
    if (end == count_) first_of_ = {};
    return end < count_;
}

bool MetadataTables::is_alike_entry(std::size_t number, std::size_t entry) const {
    const Entry& first = entries_[entry];
    return class_of(number) == class_of(first.number) && is_alike(number, first);
}

std::size_t MetadataTables::hash_of(std::size_t number) const {
    std::size_t hash = static_cast<std::size_t>(class_of(number));
    const auto mix = [&](const wire::Range& range) {
        hash = hash * 0x9e3779b97f4a7c15u + std::hash<std::string_view>{}(wire::text(source_, range));
    };
    if (is_used(number)) {
        const MetadataFields fields = fields_of(source_, message_of(number));
        mix(fields.name);
        mix(fields.display_name);
        mix(fields.stats);
    } else if (unused(number).message.size() <= max_compared) {
        mix(unused(number).message);
    } else {
        hash += number * 0x9e3779b97f4a7c15u;
    }
    return hash;
}

bool MetadataTables::is_alike(std::size_t number, const Entry& entry) const {
    const auto same = [this](const wire::Range& a, const wire::Range& b) {
        return wire::text(source_, a) == wire::text(source_, b);
    };
    if (is_used(number) != is_used(entry.number)) return false;
    const wire::Range message = message_of(number);
    if (!is_used(number)) return message.size() <= max_compared && same(message, entry.message);
    if (used(number).name_index != used(entry.number).name_index) return false;
    if (same(message, entry.message)) return true;  // as where planes give them the same ids
    const MetadataFields a = fields_of(source_, message), b = fields_of(source_, entry.message);
    return same(a.name, b.name) && same(a.display_name, b.display_name) && same(a.stats, b.stats);
}

Span<const MetadataTables::Entry> MetadataTables::on_page(std::size_t page, std::size_t per_page) const {
    if (page >= pages(per_page)) throw std::invalid_argument("there is no such page");
    const std::size_t first = page * per_page;
    return Span<const Entry>(entries_).subspan(first, std::min(per_page, entries_.size() - first));
}

std::string MetadataTables::stats(std::size_t page, std::size_t per_page) const {
    std::vector<TextColumn> columns(1);
    std::string stats;
    for (const auto& [number, message] : on_page(page, per_page)) {
        stats.clear();
        if (is_used(number)) {
            each_stat_field(source_, fields_of(source_, message).stats,
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
    for (const auto& [number, message] : on_page(page, per_page)) {
        wire::Range name, display_name;
        if (is_used(number)) {
            const MetadataFields fields = fields_of(source_, message);
            name = fields.name;
            display_name = fields.display_name;
        } else {
            const TableEntry entry = table_entry(source_, hlo_, unused(number));
            name = entry.name;
            display_name = entry.display_name;
        }
        const std::string whole = utf8::repaired(wire::text(source_, name));
        const std::string shown = utf8::repaired(wire::text(source_, display_name));
        if (is_used(number)) columns[0].add("");
        else columns[0].add(shown.empty() ? whole : shown);
        columns[1].add(shown.empty() || shown == whole ? "" : whole);
    }
    return joined(columns);
}

StatTexts MetadataTables::stat_texts(const std::vector<std::vector<std::int64_t>>& ids_of_plane, std::size_t first,
                                     std::size_t count) const {
    const std::vector<OneStat> stats(ids_of_plane.begin(), ids_of_plane.end());
    StatTexts out;
    std::unordered_map<std::string_view, std::int32_t> texts;
    std::map<std::pair<std::int32_t, std::uint64_t>, std::int32_t> references;
    for (const auto& [number, message] : Span<const Entry>(entries_).subspan(first, count)) {
        const auto plane = static_cast<std::int32_t>(plane_of(number));
        const OneStat& stat = stats.at(static_cast<std::size_t>(plane));
        const ResolvedStat content = is_used(number) ? stat.read(source_, message) : ResolvedStat{};
        const auto next = static_cast<std::int32_t>(out.texts.size());
        std::int32_t place = -1;
        if (content.form == kReference) {
            const auto [entry, is_new] = references.try_emplace({plane, content.bits}, next);
            if (is_new) out.texts.push_back({"", plane, static_cast<std::int64_t>(content.bits)});
            place = entry->second;
        } else if (content.form == kText) {
            const auto [entry, is_new] = texts.try_emplace(content.text, next);
            if (is_new) out.texts.push_back({std::string(content.text), -1, 0});
            place = entry->second;
        }
        out.place.push_back(place);
    }
    return out;
}

}  // namespace tilescope::xspace
