#include "xspace/operations.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace tilescope::xspace {

namespace {

// Sums and products that stop at the ends of what there is: no time of a real run comes near.
std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t found = 0;
    if (__builtin_add_overflow(a, b, &found)) return a < 0 ? INT64_MIN : INT64_MAX;
    return found;
}

std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t found = 0;
    if (__builtin_mul_overflow(a, b, &found)) return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
    return found;
}

// How far apart metadata numbers of a line may be that are looked up in a table. No plane has more kinds of events.
constexpr std::int64_t kTable = std::int64_t{1} << 24;
constexpr std::int64_t kTogether = 1 << 12;  // numbers for which there is room at once

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
    Columns columns;
    columns.kind.resize(start.size());
    columns.duration.resize(start.size());
    columns.numbers.resize(stats_.numbers().size());
    std::vector<std::int64_t> begins(start.size());
    std::int64_t shift = shift_, first_start = any_ ? first_ : INT64_MAX, last_stop = any_ ? last_ : INT64_MIN;
    std::int64_t last_tick = INT64_MIN;
    for (std::size_t k = 0; k < args_end.size(); ++k) {
        const std::int64_t end = args_end[k];
        if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > args.size())
            throw std::invalid_argument("arguments lie beyond the data");
        const wire::Source of(args.data() + begin, static_cast<std::size_t>(end - begin));
        stats_.read(of, args.end());
        begin = end;
        last_tick = std::max(last_tick, sum(start[k], duration[k]));
        const std::int64_t own = product(start[k], tick_ps_);
        std::int64_t from = stats_.begin(), lasting = stats_.duration();
        if (from >= 0 && lasting >= 0) {
            shift = from - own;
        } else {
            from = sum(own, shift);
            lasting = product(std::max<std::int64_t>(duration[k], 0), tick_ps_);
        }
        first_start = std::min(first_start, from);
        last_stop = std::max(last_stop, sum(from, lasting));
        begins[k] = from;
        columns.duration[k] = lasting;
        if (stats_.has_numbers()) {
            const std::vector<std::int64_t>& numbers = stats_.numbers();
            for (std::size_t place = 0; place < numbers.size(); ++place) {
                if (numbers[place] < 0) continue;
                std::vector<std::int64_t>& column = columns.numbers[place];
                if (column.empty()) column.resize(start.size(), OperationStats::kAbsent);
                column[k] = numbers[place];
            }
        }
        if (chunks != nullptr) chunks->add(of, args.end(), stats_.times(), lasting);
        columns.kind[k] = kind_of_event();
    }
    columns.last_stop = last_tick;
    shift_ = shift;
    if (!start.empty()) {
        first_ = first_start;
        last_ = last_stop;
        any_ = true;
    }
    find_parents(columns, begins);
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

Operations::OfMetadata* Operations::of_metadata(std::int64_t metadata) {
    if (metadata == -1) return &of_none_;
    const std::uint64_t place = static_cast<std::uint64_t>(metadata) - static_cast<std::uint64_t>(first_metadata_);
    return place < by_metadata_.size() ? &by_metadata_[place] : make_room_for(metadata);
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

std::int64_t Operations::kind_of_event() {
    if (stats_.has_stats()) {
        const std::int64_t kind = kind_with_stats();
        if (kind >= 0) return kind;
        is_cut_ = true;
        stats_.drop_stats();
    }
    std::int64_t metadata = stats_.metadata();
    OfMetadata* of = of_metadata(metadata);
    if (of == nullptr) of = of_metadata(metadata = -1);
    if (of->plain < 0) of->plain = static_cast<std::int32_t>(new_kind(metadata));
    return of->plain;
}

// The kind of an event with stats; -1: there are too many.
std::int64_t Operations::kind_with_stats() {
    OfMetadata* const of = of_metadata(stats_.metadata());
    if (of != nullptr && of->with_stats >= 0 && has_stats_of(kinds_[static_cast<std::size_t>(of->with_stats)]))
        return of->with_stats;
    write_key();
    const auto found = known_.find(key_);
    if (found == known_.end() && kinds_.size() >= max_kinds_) return -1;
    const std::int64_t kind = found == known_.end() ? new_kind(stats_.metadata()) : found->second;
    if (found == known_.end()) known_.emplace(key_, kind);
    if (of != nullptr) of->with_stats = static_cast<std::int32_t>(kind);
    return kind;
}

// Whether a kind has the stats of the event.
bool Operations::has_stats_of(const Kind& kind) const {
    const std::vector<SeenStat>& stats = stats_.stats();
    for (std::size_t k = 0; k < stats.size(); ++k) {
        if (stats[k].form != kind.stats[k].kind) return false;
        if (stats[k].form == StatForm::text ? stats[k].text != kind.stats[k].text : stats[k].bits != kind.stats[k].bits)
            return false;
    }
    return true;
}

std::int64_t Operations::new_kind(std::int64_t metadata) {
    Kind& kind = kinds_.emplace_back();
    kind.metadata = metadata;
    if (stats_.has_stats()) {
        for (const SeenStat& stat : stats_.stats())
            kind.stats.push_back({stat.form, stat.bits, std::string(stat.text)});
    }
    return static_cast<std::int64_t>(kinds_.size()) - 1;
}

void Operations::find_parents(Columns& columns, const std::vector<std::int64_t>& begin) {
    const auto is_before = [&](std::size_t a, std::size_t b) {
        return begin[a] != begin[b] ? begin[a] < begin[b] : columns.duration[a] > columns.duration[b];
    };
    columns.parent.assign(begin.size(), -1);
    const auto put = [&](std::size_t at) {
        const std::int64_t end = sum(begin[at], columns.duration[at]);
        while (!open_.empty() && (open_.back().end < end || open_.back().end <= begin[at])) open_.pop_back();
        if (!open_.empty()) columns.parent[at] = open_.back().kind;
        open_.push_back({end, columns.kind[at]});
    };
    bool in_order = true;
    for (std::size_t k = 1; k < begin.size() && in_order; ++k) in_order = !is_before(k, k - 1);
    if (in_order) {
        for (std::size_t at = 0; at < begin.size(); ++at) put(at);
        return;
    }
    std::vector<std::size_t> order(begin.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), is_before);
    for (const std::size_t at : order) put(at);
}

}  // namespace tilescope::xspace
