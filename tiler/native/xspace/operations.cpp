#include "xspace/operations.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace tilescope::xspace {

namespace {

// Sums and products that stop at the ends of what there is: no time of a real run comes near.
std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t total = 0;
    if (__builtin_add_overflow(a, b, &total)) return a < 0 ? INT64_MIN : INT64_MAX;
    return total;
}

std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
    return result;
}

// The widest range of metadata numbers of a line that are looked up in a table. No plane has more kinds of events.
constexpr std::int64_t kTable = std::int64_t{1} << 24;
constexpr std::int64_t kTogether = 1 << 12;  // numbers for which there is room at once

// Bytes of arguments that are kept for a kind at most.
constexpr std::size_t kMostKept = 128;

}  // namespace

Operations::Operations(const OperationIds& ids, std::size_t max_kinds, std::int64_t tick_ps)
    : stats_(ids), max_kinds_(max_kinds), tick_ps_(tick_ps) {}

OperationChunks& Operations::chunks(std::size_t most_events, std::size_t most_bytes) {
    if (!chunks_ || chunks_->most_events() != most_events || chunks_->most_bytes() != most_bytes)
        chunks_.emplace(stats_.time_ids(), most_events, most_bytes);
    chunks_->take();
    return *chunks_;
}

Operations::Columns Operations::add(Span<const std::int64_t> args_end, std::int64_t begin, const wire::Source& args,
                                    Span<const std::int64_t> start, Span<const std::int64_t> duration,
                                    OperationChunks* chunks) {
    if (start.size() != args_end.size() || duration.size() != args_end.size())
        throw std::invalid_argument("columns of different lengths");
    if (begin < 0) throw std::invalid_argument("arguments lie beyond the data");
    const std::size_t size = start.size();
    Columns columns;
    std::int64_t* const kinds = columns.kind.extend(size);
    std::int64_t* const lasts = columns.duration.extend(size);
    columns.numbers.resize(stats_.numbers().size());
    begins_.resize(size);
    std::int64_t* const begins = begins_.data();
    std::int64_t shift = shift_, first_start = any_ ? first_ : INT64_MAX, last_stop = any_ ? last_ : INT64_MIN;
    std::int64_t last_tick = INT64_MIN, from_before = INT64_MIN, lasting_before = INT64_MAX;
    bool in_order = true;
    for (std::size_t k = 0; k < size; ++k) {
        const std::int64_t end = args_end[k];
        if (end < begin || static_cast<std::uint64_t>(end) > args.size())
            throw std::invalid_argument("arguments lie beyond the data");
        const wire::Source event_args(args.data() + begin, static_cast<std::size_t>(end - begin));
        begin = end;
        last_tick = std::max(last_tick, sum(start[k], duration[k]));
        const std::int64_t own = product(start[k], tick_ps_);
        std::int64_t from = 0, lasting = 0;
        UsualOperation usual;
        if (usual.read(event_args, args.end(), stats_.heads()) &&
            stats_.are_unwanted(event_args.data() + usual.size(), event_args.end(), args.end())) {
            from = static_cast<std::int64_t>(usual.begin.value);
            lasting = static_cast<std::int64_t>(usual.duration.value);
            shift = from - own;
            if (chunks != nullptr) chunks->add(event_args, args.end(), usual);
            kinds[k] = plain_kind(usual.metadata);
        } else if (const std::int64_t kind = usual.metadata_size != 0 ? kind_with(event_args, usual.metadata) : -1;
                   kind >= 0) {
            from = sum(own, shift);
            lasting = product(std::max<std::int64_t>(duration[k], 0), tick_ps_);
            if (chunks != nullptr) chunks->add(event_args, args.end(), PlacedTimes(), lasting);
            kinds[k] = kind;
        } else {
            stats_.read(event_args, args.end());
            from = stats_.begin();
            lasting = stats_.duration();
            if (from >= 0 && lasting >= 0) {
                shift = from - own;
            } else {
                from = sum(own, shift);
                lasting = product(std::max<std::int64_t>(duration[k], 0), tick_ps_);
            }
            if (stats_.has_numbers()) columns.add_numbers(k, stats_.numbers());
            if (chunks != nullptr) chunks->add(event_args, args.end(), stats_.times(), lasting);
            kinds[k] = kind_of_event(event_args);
        }
        first_start = std::min(first_start, from);
        last_stop = std::max(last_stop, sum(from, lasting));
        in_order = static_cast<int>(in_order) &
                   (static_cast<int>(from > from_before) |
                    (static_cast<int>(from == from_before) & static_cast<int>(lasting <= lasting_before)));
        begins[k] = from_before = from;
        lasts[k] = lasting_before = lasting;
    }
    columns.last_stop = last_tick;
    shift_ = shift;
    if (size != 0) {
        first_ = first_start;
        last_ = last_stop;
        any_ = true;
    }
    find_parents(columns, in_order);
    return columns;
}

void Operations::write_key() {
    const auto put = [this](std::int64_t value) { key_.append(reinterpret_cast<const char*>(&value), sizeof value); };
    key_.clear();
    put(stats_.metadata());
    for (const SeenStat& stat : stats_.stats()) {
        key_.push_back(static_cast<char>(stat.form));
        if (stat.form == StatForm::none) continue;
        put(stat.form == StatForm::text ? static_cast<std::int64_t>(stat.text.size()) : stat.bits);
        key_ += stat.text;
    }
}

void Operations::Columns::add_numbers(std::size_t place, const std::vector<std::int64_t>& event_numbers) {
    const bool has_any =
        std::any_of(event_numbers.begin(), event_numbers.end(), [](std::int64_t number) { return number >= 0; });
    if (!has_any) return;
    numbered.push_back(static_cast<std::int64_t>(place));
    for (std::size_t k = 0; k < event_numbers.size(); ++k) {
        if (event_numbers[k] < 0 && numbers[k].empty()) continue;
        numbers[k].resize(numbered.size() - 1, OperationStats::kAbsent);
        numbers[k].push_back(event_numbers[k] < 0 ? OperationStats::kAbsent : event_numbers[k]);
    }
}

Operations::OfMetadata* Operations::make_room_for(std::int64_t metadata) {
    if (metadata < 0 || metadata > INT64_MAX - kTogether) return nullptr;
    const std::int64_t first = metadata / kTogether * kTogether, size = static_cast<std::int64_t>(by_metadata_.size());
    if (size == 0) first_metadata_ = least_metadata_ = first;
    const std::int64_t begin = std::min(first, least_metadata_),
                       end = std::max(first + kTogether, first_metadata_ + size);
    if (end - begin > kTable) return nullptr;
    least_metadata_ = begin;
    if (begin < first_metadata_) {
        // As much again, as a vector grows at its end: numbers that become less and less are not moved each time.
        const std::int64_t more = std::max(first_metadata_ - begin, std::min(size, first_metadata_));
        by_metadata_.insert(by_metadata_.begin(), static_cast<std::size_t>(more), OfMetadata());
        first_metadata_ -= more;
    }
    if (end - first_metadata_ > kTable) {
        // Without the room before all numbers.
        by_metadata_.erase(by_metadata_.begin(), by_metadata_.begin() + (begin - first_metadata_));
        first_metadata_ = begin;
    }
    if (first_metadata_ + static_cast<std::int64_t>(by_metadata_.size()) < end)
        by_metadata_.resize(static_cast<std::size_t>(end - first_metadata_));
    return &by_metadata_[static_cast<std::size_t>(metadata - first_metadata_)];
}

// The kind of events without stats of which none was seen yet, or with metadata that has no number.
std::int64_t Operations::new_plain_kind(std::int64_t metadata) {
    OfMetadata* entry = of_metadata(metadata);
    if (entry == nullptr) entry = of_metadata(metadata = -1);
    if (entry->plain < 0) {
        entry->plain = static_cast<std::int32_t>(kinds_.size());
        kinds_.emplace_back().metadata = metadata;
    }
    return entry->plain;
}

// The kind that was seen last of events with stats, if those had just these arguments; -1: it had not.
std::int64_t Operations::kind_with(const wire::Source& args, std::int64_t metadata) {
    const OfMetadata* const entry = of_metadata(metadata);
    if (entry == nullptr || entry->with_stats < 0) return -1;
    const std::string& last_args = kinds_[static_cast<std::size_t>(entry->with_stats)].args;
    return text_of(args) == last_args ? entry->with_stats : -1;
}

std::int64_t Operations::kind_of_event(const wire::Source& args) {
    if (stats_.has_stats()) {
        const std::int64_t kind = kind_with_stats();
        if (kind >= 0 && stats_.has_kind_alone() && args.size() <= kMostKept)
            kinds_[static_cast<std::size_t>(kind)].args = text_of(args);
        if (kind >= 0) return kind;
        is_cut_ = true;
    }
    return plain_kind(stats_.metadata());
}

// The kind of an event with stats; -1: there are too many.
std::int64_t Operations::kind_with_stats() {
    OfMetadata* const entry = of_metadata(stats_.metadata());
    if (entry != nullptr && entry->with_stats >= 0 && has_stats_of(kinds_[static_cast<std::size_t>(entry->with_stats)]))
        return entry->with_stats;
    write_key();
    const auto match = kinds_by_key_.find(key_);
    if (match == kinds_by_key_.end() && kinds_.size() >= max_kinds_) return -1;
    const std::int64_t kind = match == kinds_by_key_.end() ? new_kind() : match->second;
    if (match == kinds_by_key_.end()) kinds_by_key_.emplace(key_, kind);
    if (entry != nullptr) entry->with_stats = static_cast<std::int32_t>(kind);
    return kind;
}

// True if a kind has the stats of the event.
bool Operations::has_stats_of(const Kind& kind) const {
    const std::vector<SeenStat>& stats = stats_.stats();
    for (std::size_t k = 0; k < stats.size(); ++k) {
        if (stats[k].form != kind.stats[k].kind) return false;
        if (stats[k].form == StatForm::text ? stats[k].text != kind.stats[k].text : stats[k].bits != kind.stats[k].bits)
            return false;
    }
    return true;
}

// One with the stats of the event.
std::int64_t Operations::new_kind() {
    Kind& kind = kinds_.emplace_back();
    kind.metadata = stats_.metadata();
    for (const SeenStat& stat : stats_.stats()) kind.stats.push_back({stat.form, stat.bits, std::string(stat.text)});
    return static_cast<std::int64_t>(kinds_.size()) - 1;
}

// `in_order`: whether they begin one after the other, the longer ones first.
void Operations::find_parents(Columns& columns, bool in_order) {
    const Span<const std::int64_t> begin(begins_);
    const std::int64_t *const lasts = columns.duration.data(), *const kind = columns.kind.data();
    // The next one in that order: the kind of its parent.
    const auto put = [&](std::size_t index) -> std::int64_t {
        const std::int64_t end = sum(begin[index], lasts[index]);
        while (!open_.empty() && (open_.back().end < end || open_.back().end <= begin[index])) open_.pop_back();
        const std::int64_t parent_kind = open_.empty() ? -1 : open_.back().kind;
        open_.push_back({end, kind[index]});
        return parent_kind;
    };
    std::int64_t* const parent = columns.parent.extend(begin.size());
    if (in_order) {
        for (std::size_t index = 0; index < begin.size(); ++index) parent[index] = put(index);
        return;
    }
    std::vector<std::size_t> order(begin.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return begin[a] != begin[b] ? begin[a] < begin[b] : lasts[a] > lasts[b];
    });
    for (const std::size_t index : order) parent[index] = put(index);
}

}  // namespace tilescope::xspace
