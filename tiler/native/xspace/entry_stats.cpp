#include "xspace/entry_stats.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/span.hpp"

namespace tilescope {

namespace {

constexpr std::uint32_t kReference = 7;  // the field of a stat that names another

}  // namespace

EntryStats::EntryStats(const std::vector<Bytes>& stats, const StatChoice& choice)
    : EntryStats(nullptr, stats, choice) {}

EntryStats::EntryStats(const std::vector<Bytes>& texts, const std::vector<Bytes>& stats, const StatChoice& choice)
    : EntryStats(&texts, stats, choice) {}

EntryStats::EntryStats(const std::vector<Bytes>* texts, const std::vector<Bytes>& stats, const StatChoice& choice)
    : size_(texts == nullptr ? stats.size() : same_size(stats, *texts)),
      width_(choice.size() + (texts == nullptr ? 0 : 1)),
      values_(size_ * width_) {
    const std::size_t before = width_ - choice.size();
    std::vector<StatValue> row(choice.size());
    for (std::size_t k = 0; k < size_; ++k) {
        HashedStat* entry = values_.data() + k * width_;
        if (texts != nullptr) entry[0] = {HashedStat::kName, text_of((*texts)[k])};
        std::fill(row.begin(), row.end(), StatValue());
        try {
            choice.read(stats[k], row);
        } catch (const wire::Error&) {
            continue;
        }
        for (std::size_t stat = 0; stat < row.size(); ++stat) {
            const StatValue& value = row[stat];
            const bool is_text = value.form == 5 || value.form == 6;
            if (is_text) entry[before + stat] = {value.form, wire::text(stats[k], value.text)};
            else if (value.form != 0) entry[before + stat] = {value.form, value.bits};
        }
    }
}

void EntryStats::write_codes(StatCodes& codes, const CodeOfReference& of_reference, std::size_t first,
                             std::size_t count, std::int32_t* out, std::size_t stride) const {
    if (first > size_ || count > size_ - first) throw std::invalid_argument("entries that were not read");
    const Span<const HashedStat> rows(values_.data() + first * width_, count * width_);
    for (std::size_t column = 0; column < width_; ++column) {
        // Tables are larger than caches: what comes soon is asked for.
        for (std::size_t k = 0; k < count; ++k) codes.expect(rows[k * width_ + column]);
        for (std::size_t k = 0; k < count; ++k) {
            const HashedStat& value = rows[k * width_ + column];
            out[k * stride + column] = value.form() == kReference ? of_reference(value.bits()) : codes.of_stat(value);
        }
    }
}

}  // namespace tilescope
