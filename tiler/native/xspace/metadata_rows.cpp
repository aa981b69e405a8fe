#include "xspace/metadata_rows.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace tilescope {

namespace {

// Entries that get codes together: what they say stays in the fastest cache until all of it has.
constexpr std::size_t kTogether = 32;

// Entries of one name that are compared: a program or two have it.
constexpr int kMostCompared = 8;

// The most names of which entries are kept: of each there is a number, 16 MB together.
constexpr std::int32_t kMostNames = 1 << 22;

std::string_view as_text(const std::int32_t* row, std::size_t width) {
    return {reinterpret_cast<const char*>(row), width * sizeof(*row)};
}

}  // namespace

std::vector<Bytes> EntryBytes::at(Span<const std::int64_t> places) const {
    std::vector<Bytes> entries;
    entries.reserve(places.size());
    for (const std::int64_t place : places) {
        if (place < 0 || static_cast<std::size_t>(place) >= ends.size())
            throw std::invalid_argument("a page of metadata is cut short");
        const auto index = static_cast<std::size_t>(place);
        const std::int64_t begin = index == 0 ? 0 : ends[index - 1];
        if (begin < 0 || ends[index] < begin || static_cast<std::uint64_t>(ends[index]) > data.size())
            throw std::invalid_argument("metadata lies beyond its page");
        entries.push_back(data.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(ends[index] - begin)));
    }
    return entries;
}

std::int64_t SeenEntries::find(std::int32_t name, std::uint64_t choice, Bytes stats, Bytes text) const {
    const auto name_index = static_cast<std::size_t>(name);
    std::int32_t index = name_index < last_.size() ? last_[name_index] : -1;
    for (int compared = 0; index >= 0 && compared < kMostCompared; ++compared) {
        const Kept& kept = kept_[static_cast<std::size_t>(index)];
        if (kept.choice == choice && text_of(kept.stats) == text_of(stats) && text_of(kept.text) == text_of(text))
            return kept.row;
        index = kept.before;
    }
    return -1;
}

void SeenEntries::add(const ReadEntries& entries, Span<const std::int32_t> names, Span<const std::int64_t> rows) {
    if (same_size(names, rows) != entries.rows_.size()) throw std::invalid_argument("columns of different lengths");
    std::size_t left = 0;
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (entries.rows_[k] >= 0) continue;
        const std::size_t entry = left++;
        if (names[k] < 0 || names[k] >= kMostNames) continue;
        const auto name = static_cast<std::size_t>(names[k]);
        if (name >= last_.size()) last_.resize(std::max(name + 1, 2 * last_.size()), -1);
        kept_.push_back({entries.choice_, entries.stats_[entry], entries.texts_[entry], rows[k], last_[name]});
        last_[name] = static_cast<std::int32_t>(kept_.size() - 1);
    }
}

ReadEntries::ReadEntries(std::vector<Bytes> stats, std::vector<Bytes> texts, Span<const std::int32_t> names,
                         const StatChoice& choice, const SeenEntries& seen)
    : choice_(choice.number()),
      stats_(std::move(stats)),
      texts_(std::move(texts)),
      rows_(seen_rows(names, seen)),
      stat_values_(texts_, stats_, choice) {}

std::vector<std::int64_t> ReadEntries::seen_rows(Span<const std::int32_t> names, const SeenEntries& seen) {
    std::vector<std::int64_t> rows(same_size(names, stats_, texts_), -1);
    std::size_t left = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (names[k] >= 0) rows[k] = seen.find(names[k], choice_, stats_[k], texts_[k]);
        if (rows[k] >= 0) continue;
        stats_[left] = stats_[k];
        texts_[left] = texts_[k];
        ++left;
    }
    stats_.resize(left);
    texts_.resize(left);
    return rows;
}

MetadataRows::MetadataRows(std::size_t width) : width_(width) {
    if (width == 0) throw std::invalid_argument("rows without columns");
}

std::vector<std::int64_t> MetadataRows::add(Span<const std::int32_t> rows) {
    if (rows.size() % width_ != 0) throw std::invalid_argument("rows that are cut short");
    std::vector<std::int64_t> places;
    places.reserve(rows.size() / width_);
    for (std::size_t first = 0; first < rows.size(); first += width_)
        places.push_back(places_.intern(as_text(rows.data() + first, width_)));
    return places;
}

std::vector<std::int64_t> MetadataRows::add(StatCodes& codes, const ReadEntries& entries,
                                            Span<const std::int32_t> names, const CodeOfReference& of_reference) {
    const EntryStats& stat_values = entries.stat_values_;
    if (stat_values.width() + 1 != width_) throw std::invalid_argument("rows of another width than there are stats");
    if (names.size() != entries.rows_.size()) throw std::invalid_argument("columns of different lengths");
    std::vector<std::int64_t> places = entries.rows_;
    std::vector<std::size_t> left;
    for (std::size_t k = 0; k < places.size(); ++k)
        if (places[k] < 0) left.push_back(k);
    std::vector<std::int32_t> rows(kTogether * width_);
    std::array<std::uint64_t, kTogether> hashes{};
    for (std::size_t first = 0; first < left.size(); first += kTogether) {
        const std::size_t count = std::min(kTogether, left.size() - first);
        stat_values.write_codes(codes, of_reference, first, count, rows.data() + 1, width_);
        for (std::size_t k = 0; k < count; ++k) {
            rows[k * width_] = names[left[first + k]];
            hashes[k] = places_.expect(as_text(rows.data() + k * width_, width_));
        }
        for (std::size_t k = 0; k < count; ++k)
            places[left[first + k]] = places_.intern(as_text(rows.data() + k * width_, width_), hashes[k]);
    }
    return places;
}

std::vector<std::int32_t> MetadataRows::rows(std::size_t first) const {
    if (first > size()) throw std::invalid_argument("rows that there are not");
    const std::string_view all = places_.all().substr(first * width_ * sizeof(std::int32_t));
    std::vector<std::int32_t> out((size() - first) * width_);
    if (!out.empty()) std::memcpy(out.data(), all.data(), all.size());
    return out;
}

}  // namespace tilescope
