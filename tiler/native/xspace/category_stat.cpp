#include "xspace/category_stat.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/span.hpp"
#include "xspace/catalogue.hpp"

namespace tilescope::xspace {

namespace {

constexpr std::string_view kName = "hlo_category";
constexpr std::uint32_t kText = 5, kReference = 7;  // fields of an XStat

}  // namespace

CategoryStat::CategoryStat(const wire::Source& source, const Plane& plane) : source_(source) {
    const std::vector<MetadataEntry>& entries = plane.stat_metadata;
    std::vector<wire::Range> names;
    names.reserve(entries.size());
    for (const MetadataEntry& entry : entries) names.push_back(stat_metadata_name(source, entry.value));
    const auto is_it = [&](wire::Range name) { return wire::text(source, name) == kName; };
    if (std::none_of(names.begin(), names.end(), is_it)) return;
    for (std::size_t k = 0; k < names.size(); ++k) places_.set(entries[k].id, static_cast<std::int32_t>(k));
    std::vector<std::int64_t> ids;
    for (std::size_t k = 0; k < names.size(); ++k) {
        // Of equal ids the last counts.
        if (is_it(names[k]) && places_.find(entries[k].id) == static_cast<std::int32_t>(k))
            ids.push_back(entries[k].id);
    }
    names_ = std::move(names);
    choice_.emplace(std::vector<std::vector<std::int64_t>>{ids});
}

std::string_view CategoryStat::category(wire::Range stats) const {
    if (!choice_ || stats.size() == 0) return {};
    StatValue value;
    try {
        each_stat_field(source_, stats, [&](wire::Range field) {
            wire::Cursor cursor(source_, field, "event metadata");
            cursor.tag();
            choice_->read_one(source_, cursor.bytes("stat"), Span<StatValue>(&value, 1));
        });
    } catch (const wire::Error&) {
        return {};
    }
    if (value.form == kText) return wire::text(source_, value.text);
    if (value.form != kReference) return {};
    const std::int32_t name = places_.find(static_cast<std::int64_t>(value.bits));
    return name == IdTable::absent ? std::string_view{} : wire::text(source_, names_[static_cast<std::size_t>(name)]);
}

}  // namespace tilescope::xspace
