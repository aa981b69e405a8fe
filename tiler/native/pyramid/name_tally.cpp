#include "pyramid/name_tally.hpp"

#include <stdexcept>
#include <utility>

namespace tilescope {

namespace {

// So few durations of a name are sorted where they stand; more are counted.
constexpr std::size_t kFew = 24;

// Rows that are fetched before it is their turn.
constexpr std::size_t kAhead = 12;

void sort_few(Span<uint16_t> values) {
    for (std::size_t k = 1; k < values.size(); ++k) {
        const uint16_t value = values[k];
        std::size_t at = k;
        for (; at > 0 && values[at - 1] > value; --at) values[at] = values[at - 1];
        values[at] = value;
    }
}

uint32_t append(std::vector<BucketCount>& out, Span<uint16_t> ascending) {
    const std::size_t before = out.size();
    for (std::size_t k = 0; k < ascending.size(); ++k) {
        if (k > 0 && ascending[k] == ascending[k - 1]) out.back().add(1);
        else out.emplace_back(ascending[k], 1);
    }
    return static_cast<uint32_t>(out.size() - before);
}

}  // namespace

void NameTally::add(NameRows part) {
    parts_.push_back(std::move(part));
    if (parts_.size() == kParts) merge_parts();
}

void NameTally::take_from(NameTally& other) {
    for (NameRows& part : other.parts_) add(std::move(part));
    other.parts_.clear();
    if (rows_.empty()) {
        std::swap(rows_, other.rows_);
        std::swap(places_, other.places_);
        std::swap(used_, other.used_);
        std::swap(started_, other.started_);
        return;
    }
    if (started_.size() + other.started_.size() > kStarted) set_aside();
    for (std::size_t k = 0; k < other.rows_.size(); ++k) {
        if (k + kAhead < other.rows_.size()) fetch_row(other.rows_[k + kAhead].number);
        const NameRow& part = other.rows_[k];
        row(part.number).add(part);
        other.places_[part.number] = 0;
        other.used_[part.number / 64] = 0;
    }
    started_.insert(started_.end(), other.started_.begin(), other.started_.end());
    other.rows_.clear();
    other.started_.clear();
}

std::size_t NameTally::rows() {
    if (parts_.empty()) return rows_.size();
    if (!rows_.empty()) set_aside();
    merge_parts();
    return parts_.front().rows.size();
}

uint64_t NameTally::events() const {
    uint64_t events = started_.size();
    for (const NameRows& part : parts_) events += part.events();
    return events;
}

NameRows NameTally::take() {
    if (!rows_.empty() || parts_.empty()) set_aside();
    merge_parts();
    NameRows all = std::move(parts_.front());
    parts_.clear();
    return all;
}

void NameTally::set_aside() { add(put_in_order()); }

void NameTally::merge_parts() {
    if (parts_.size() < 2) return;
    NameRows sums = merge(parts_);
    parts_.clear();
    parts_.push_back(std::move(sums));
}

// Durations are dealt out by name, of which the counts say where they go, and then sorted by bucket, name by name.
NameRows NameTally::put_in_order() {
    NameRows all;
    all.rows.reserve(rows_.size());
    all.buckets.reserve(started_.size() / 2);
    uint32_t dealt = 0;  // at most kStarted
    for (std::size_t word = 0; word < used_.size(); ++word) {
        for (uint64_t left = used_[word]; left != 0; left &= left - 1) {
            uint32_t& place = places_[64 * word + static_cast<std::size_t>(__builtin_ctzll(left))];
            all.rows.push_back(rows_[place - 1]);
            place = dealt;  // where the next of its durations goes, from now on
            dealt += static_cast<uint32_t>(all.rows.back().count);
        }
        used_[word] = 0;
    }
    if (dealt != started_.size()) throw std::logic_error("counts of names are not those of their durations");
    std::vector<uint16_t> buckets(dealt);
    for (const Started& slice : started_) buckets[places_[slice.number()]++] = slice.bucket();
    BucketTally tally;
    std::size_t at = 0;
    for (NameRow& row : all.rows) {
        const Span<uint16_t> of_row = Span<uint16_t>(buckets).subspan(at, row.count);
        at += of_row.size();
        if (of_row.size() <= kFew) {
            sort_few(of_row);
            row.n_buckets = append(all.buckets, of_row);
        } else {
            for (const uint16_t bucket : of_row) tally.add(bucket, 1);
            row.n_buckets = tally.take(all.buckets);
        }
        places_[row.number] = 0;
    }
    rows_.clear();
    started_.clear();
    return all;
}

}  // namespace tilescope
