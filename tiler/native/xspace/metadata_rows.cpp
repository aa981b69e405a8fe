#include "xspace/metadata_rows.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tilescope {

namespace {

// Entries that are read together: what they say stays in the fastest cache until all of it has codes.
constexpr std::size_t kTogether = 32;

// Of entries as they lie in the file: those of 200,000 instructions. More than that are read again.
constexpr std::size_t kMostSeen = std::size_t{64} << 20;

template <typename Number>
void append(std::string& key, Number number) {
    std::array<char, sizeof(number)> bytes{};
    std::memcpy(bytes.data(), &number, sizeof(number));
    key.append(bytes.data(), bytes.size());
}

std::string_view as_text(const std::int32_t* row, std::size_t width) {
    return {reinterpret_cast<const char*>(row), width * sizeof(*row)};
}

}  // namespace

Bytes EntryBytes::at(std::int64_t place) const {
    if (place < 0 || static_cast<std::size_t>(place) >= ends.size())
        throw std::invalid_argument("a page of metadata is cut short");
    const auto at = static_cast<std::size_t>(place);
    const std::int64_t begin = at == 0 ? 0 : ends[at - 1];
    if (begin < 0 || ends[at] < begin || static_cast<std::uint64_t>(ends[at]) > data.size())
        throw std::invalid_argument("metadata lies beyond its page");
    return data.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(ends[at] - begin));
}

void write_codes(StatCodes& codes, const StatChoice& choice, const CodeOfReference& of_reference,
                 const std::vector<wire::Source>& entries, std::int32_t* out, std::size_t stride) {
    constexpr std::uint32_t reference = 7;
    const std::size_t width = choice.size();
    std::vector<SaidStat> said(std::min(kTogether, entries.size()) * width);
    std::array<std::uint64_t, kTogether> hashes{};
    for (std::size_t first = 0; first < entries.size(); first += kTogether) {
        const std::size_t count = std::min(kTogether, entries.size() - first);
        std::fill(said.begin(), said.end(), SaidStat());
        for (std::size_t k = 0; k < count; ++k) {
            const Span<SaidStat> row(said.data() + k * width, width);
            try {
                choice.read(entries[first + k], row);
            } catch (const wire::Error&) {
                std::fill(row.begin(), row.end(), SaidStat());
            }
        }
        // Tables are larger than caches: what comes soon is asked for.
        for (std::size_t stat = 0; stat < width; ++stat) {
            for (std::size_t k = 0; k < count; ++k)
                hashes[k] = codes.expect(entries[first + k], said[k * width + stat]);
            for (std::size_t k = 0; k < count; ++k) {
                const SaidStat& one = said[k * width + stat];
                out[(first + k) * stride + stat] =
                    one.form == reference ? of_reference(one) : codes.of_stat(entries[first + k], one, hashes[k]);
            }
        }
    }
}

struct MetadataRows::Block {
    std::array<std::string, kTogether> keys;  // as the entries are seen
    std::array<std::uint64_t, kTogether> hashes{};
    std::array<std::int32_t, kTogether> texts{};
    std::array<std::int32_t, kTogether> seen{};  // -1: not kept
    std::array<std::int64_t, kTogether> rows{};  // -1: left
    std::vector<std::size_t> left;  // by place in the block
    std::vector<wire::Source> stats;  // of those that are left
    std::size_t count = 0;
};

MetadataRows::MetadataRows(std::size_t width) : width_(width) {
    if (width == 0) throw std::invalid_argument("rows without columns");
}

std::vector<std::int64_t> MetadataRows::add(Span<const std::int32_t> rows) {
    if (rows.size() % width_ != 0) throw std::invalid_argument("rows that are cut short");
    std::vector<std::int64_t> found;
    found.reserve(rows.size() / width_);
    for (std::size_t at = 0; at < rows.size(); at += width_)
        found.push_back(places_.intern(as_text(rows.data() + at, width_)));
    return found;
}

std::vector<std::int64_t> MetadataRows::read(StatCodes& codes, const ChosenEntries& entries, const StatChoice& choice,
                                             const CodeOfReference& of_reference) {
    if (choice.size() + 2 != width_) throw std::invalid_argument("rows of another width than there are stats");
    if (entries.names.size() != entries.at.size()) throw std::invalid_argument("columns of different lengths");
    std::vector<std::int64_t> found;
    found.reserve(entries.at.size());
    std::vector<std::int32_t> rows(kTogether * width_);
    std::array<std::string_view, kTogether> texts{};
    Block block;
    for (std::size_t first = 0; first < entries.at.size(); first += kTogether) {
        block.count = std::min(kTogether, entries.at.size() - first);
        for (std::size_t k = 0; k < block.count; ++k) {
            texts[k] = text_of(entries.texts.at(entries.at[first + k]));
            block.hashes[k] = codes.expect_text(texts[k]);
        }
        for (std::size_t k = 0; k < block.count; ++k) block.texts[k] = codes.of_text(texts[k], block.hashes[k]);
        recall(block, entries, first, choice.number());
        write_codes(codes, choice, of_reference, block.stats, rows.data() + 2, width_);
        for (std::size_t k = 0; k < block.left.size(); ++k) {
            std::int32_t* row = rows.data() + k * width_;
            row[0] = entries.names[first + block.left[k]];
            row[1] = block.texts[block.left[k]];
            block.hashes[k] = places_.expect(as_text(row, width_));
        }
        for (std::size_t k = 0; k < block.left.size(); ++k)
            block.rows[block.left[k]] = places_.intern(as_text(rows.data() + k * width_, width_), block.hashes[k]);
        keep(block);
        found.insert(found.end(), block.rows.begin(), block.rows.begin() + static_cast<std::ptrdiff_t>(block.count));
    }
    return found;
}

void MetadataRows::recall(Block& block, const ChosenEntries& entries, std::size_t first, std::uint64_t choice) {
    block.left.clear();
    block.stats.clear();
    for (std::size_t k = 0; k < block.count; ++k) {
        std::string& key = block.keys[k];
        key.clear();
        append(key, choice);
        append(key, entries.names[first + k]);
        append(key, block.texts[k]);
        key += text_of(entries.stats.at(entries.at[first + k]));
        block.hashes[k] = seen_.expect(key);
    }
    for (std::size_t k = 0; k < block.count; ++k) {
        const std::string& key = block.keys[k];
        const bool is_full = seen_.bytes() + key.size() > kMostSeen;
        const std::int32_t seen = is_full ? seen_.find(key, block.hashes[k]) : seen_.intern(key, block.hashes[k]);
        row_of_seen_.resize(seen_.size(), -1);
        block.seen[k] = seen;
        block.rows[k] = seen < 0 ? -1 : row_of_seen_[static_cast<std::size_t>(seen)];
        if (block.rows[k] >= 0) continue;
        block.left.push_back(k);
        block.stats.push_back(entries.stats.at(entries.at[first + k]));
    }
}

void MetadataRows::keep(const Block& block) {
    for (const std::size_t k : block.left)
        if (block.seen[k] >= 0) row_of_seen_[static_cast<std::size_t>(block.seen[k])] = block.rows[k];
}

std::vector<std::int32_t> MetadataRows::rows(std::size_t first) const {
    if (first > size()) throw std::invalid_argument("rows that there are not");
    const std::string_view all = places_.all().substr(first * width_ * sizeof(std::int32_t));
    std::vector<std::int32_t> found((size() - first) * width_);
    if (!found.empty()) std::memcpy(found.data(), all.data(), all.size());
    return found;
}

}  // namespace tilescope
