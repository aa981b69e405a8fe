#include "xspace/said_entries.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/span.hpp"

namespace tilescope {

namespace {

constexpr std::uint32_t kReference = 7;  // the field of a stat that names another

}  // namespace

SaidEntries::SaidEntries(const std::vector<Bytes>& stats, const StatChoice& choice)
    : SaidEntries(nullptr, stats, choice) {}

SaidEntries::SaidEntries(const std::vector<Bytes>& texts, const std::vector<Bytes>& stats, const StatChoice& choice)
    : SaidEntries(&texts, stats, choice) {}

SaidEntries::SaidEntries(const std::vector<Bytes>* texts, const std::vector<Bytes>& stats, const StatChoice& choice)
    : size_(texts == nullptr ? stats.size() : same_size(stats, *texts)),
      width_(choice.size() + (texts == nullptr ? 0 : 1)),
      said_(size_ * width_) {
    const std::size_t before = width_ - choice.size();
    std::vector<SaidStat> row(choice.size());
    for (std::size_t k = 0; k < size_; ++k) {
        HashedStat* found = said_.data() + k * width_;
        if (texts != nullptr) found[0] = {HashedStat::kName, text_of((*texts)[k])};
        std::fill(row.begin(), row.end(), SaidStat());
        try {
            choice.read(stats[k], row);
        } catch (const wire::Error&) {
            continue;
        }
        for (std::size_t stat = 0; stat < row.size(); ++stat) {
            const SaidStat& said = row[stat];
            const bool is_text = said.form == 5 || said.form == 6;
            if (is_text) found[before + stat] = {said.form, wire::text(stats[k], said.text)};
            else if (said.form != 0) found[before + stat] = {said.form, said.bits};
        }
    }
}

void SaidEntries::write_codes(StatCodes& codes, const CodeOfReference& of_reference, std::size_t first,
                              std::size_t count, std::int32_t* out, std::size_t stride) const {
    if (first > size_ || count > size_ - first) throw std::invalid_argument("entries that were not read");
    const Span<const HashedStat> rows(said_.data() + first * width_, count * width_);
    for (std::size_t column = 0; column < width_; ++column) {
        // Tables are larger than caches: what comes soon is asked for.
        for (std::size_t k = 0; k < count; ++k) codes.expect(rows[k * width_ + column]);
        for (std::size_t k = 0; k < count; ++k) {
            const HashedStat& said = rows[k * width_ + column];
            out[k * stride + column] = said.form() == kReference ? of_reference(said.bits()) : codes.of_stat(said);
        }
    }
}

}  // namespace tilescope
