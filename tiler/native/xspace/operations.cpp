#include "xspace/operations.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "xspace/quick_stat.hpp"

namespace tilescope::xspace {

using wire::Cursor;
using wire::varint_field;

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

// Metadata numbers below this are looked up in a table. No trace has more kinds of events.
constexpr std::int64_t kTable = std::int64_t{1} << 24;

// Of the field with the value of a stat.
StatForm form_of(std::uint32_t tag) {
    switch (tag) {
    case varint_field(3): return StatForm::unsigned_integer;
    case varint_field(4): return StatForm::integer;
    case varint_field(7): return StatForm::reference;
    case wire::bytes_field(5): return StatForm::text;
    default: return StatForm::none;
    }
}

bool is_integer(StatForm kind) { return kind == StatForm::unsigned_integer || kind == StatForm::integer; }

}  // namespace

Operations::Operations(Ids ids, std::size_t max_kinds, std::int64_t tick_ps)
    : max_kinds_(max_kinds), tick_ps_(tick_ps), number_(ids.numbers.size(), kAbsent), stat_(ids.of_kind.size()) {
    want(ids.begin, Use::begin, 0);
    want(ids.duration, Use::duration, 0);
    for (std::size_t place = 0; place < ids.numbers.size(); ++place) want(ids.numbers[place], Use::number, place);
    for (std::size_t place = 0; place < ids.of_kind.size(); ++place) want(ids.of_kind[place], Use::kind, place);
    first_of_id_.assign(kDirectIds, wanted_.size());
    for (std::size_t k = wanted_.size(); k-- > 0;) {
        const std::int64_t id = wanted_[k].id;
        if (id >= 0 && static_cast<std::uint64_t>(id) < kDirectIds) first_of_id_[static_cast<std::size_t>(id)] = k;
    }
}

void Operations::want(const std::vector<std::int64_t>& ids, Use use, std::size_t place) {
    for (const std::int64_t id : ids) wanted_.push_back({id, use, place});
}

void Operations::forget() {
    metadata_ = -1;
    begin_ = duration_ = kAbsent;
    if (has_numbers_) std::fill(number_.begin(), number_.end(), kAbsent);
    has_numbers_ = false;
    if (has_stats_) std::fill(stat_.begin(), stat_.end(), Seen{});
    has_stats_ = false;
}

Operations::Columns Operations::add(Span<const std::int64_t> args_end, std::int64_t begin, const wire::Source& args,
                                    Span<const std::int64_t> start, Span<const std::int64_t> duration) {
    if (start.size() != args_end.size() || duration.size() != args_end.size())
        throw std::invalid_argument("columns of different lengths");
    Columns columns;
    columns.kind.resize(start.size());
    columns.duration.resize(start.size());
    columns.numbers.resize(number_.size());
    std::vector<std::int64_t> begins(start.size());
    for (std::size_t k = 0; k < args_end.size(); ++k) {
        const std::int64_t end = args_end[k];
        if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > args.size())
            throw std::invalid_argument("arguments lie beyond the data");
        const wire::Source of = args.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
        if (!read_quickly(of, args.end())) {
            try {
                read(of);
            } catch (const wire::Error&) {
                forget();
            }
        }
        begin = end;
        const std::int64_t own = product(start[k], tick_ps_);
        if (begin_ >= 0 && duration_ >= 0) {
            shift_ = begin_ - own;
        } else {
            begin_ = sum(own, shift_);
            duration_ = product(std::max<std::int64_t>(duration[k], 0), tick_ps_);
        }
        const std::int64_t stop = sum(begin_, duration_);
        first_ = any_ ? std::min(first_, begin_) : begin_;
        last_ = any_ ? std::max(last_, stop) : stop;
        any_ = true;
        begins[k] = begin_;
        columns.kind[k] = kind_of_event();
        columns.duration[k] = duration_;
        for (std::size_t place = 0; has_numbers_ && place < number_.size(); ++place) {
            if (number_[place] < 0) continue;
            std::vector<std::int64_t>& column = columns.numbers[place];
            if (column.empty()) column.resize(start.size(), kAbsent);
            column[k] = number_[place];
        }
    }
    find_parents(columns, begins);
    return columns;
}

// Reads arguments as nearly all are; false where they have to be read with more care. `all_end`: where the bytes end among
// which they lie.
bool Operations::read_quickly(const wire::Source& args, const std::uint8_t* all_end) {
    forget();
    const std::uint8_t* const end = args.end();
    std::uint64_t metadata = 0;
    const std::uint8_t* at = wire::quick_varint(args.begin(), end, all_end, metadata);
    if (at == nullptr) return false;
    metadata_ = static_cast<std::int64_t>(metadata);
    QuickStat quick;
    for (const std::uint8_t* next = nullptr; at != end; at = next) {
        next = quick_stat(at, end, all_end, quick);
        if (next == nullptr) return false;
        if (first_of_id_[quick.id] == wanted_.size()) continue;
        const StatForm form = form_of(quick.tag);
        if (form == StatForm::text) {
            const auto size = static_cast<std::size_t>(next - quick.text);
            take(static_cast<std::int64_t>(quick.id), {form, 0, text_of({quick.text, size})});
        } else if (form != StatForm::none) {
            take(static_cast<std::int64_t>(quick.id), {form, static_cast<std::int64_t>(quick.bits), {}});
        }
    }
    return true;
}

void Operations::read(const wire::Source& args) {
    forget();
    Cursor cursor(args, {0, args.size()}, "event");
    if (cursor.at_end()) return;
    metadata_ = cursor.signed_varint();
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        if ((tag & 7) == 2) read_stat(args, cursor.message("stat"));
        else cursor.skip(tag);
    }
}

void Operations::read_stat(const wire::Source& args, Cursor stat) {
    std::int64_t id = 0;
    Seen seen;
    while (!stat.at_end()) {
        const std::uint32_t field = stat.tag();
        switch (field) {
        case varint_field(1): id = stat.signed_varint(); break;
        case varint_field(3):
        case varint_field(4):
        case varint_field(7):
            seen.form = form_of(field);
            seen.bits = stat.signed_varint();
            break;
        case wire::bytes_field(5):
            seen.form = StatForm::text;
            seen.text = wire::text(args, stat.bytes("text"));
            break;
        default: stat.skip(field);
        }
    }
    if (seen.form != StatForm::none) take(id, seen);
}

void Operations::take(std::int64_t id, const Seen& stat) {
    for (std::size_t k = first_wanted(id); k < wanted_.size(); ++k) {
        const Wanted& wanted = wanted_[k];
        if (wanted.id != id) continue;
        if (wanted.use == Use::kind) {
            stat_[wanted.place] = stat;
            if (stat.form != StatForm::text) stat_[wanted.place].text = {};
            has_stats_ = true;
        } else if (is_integer(stat.form)) {
            number(wanted) = stat.bits;
        }
        return;
    }
}

std::int64_t& Operations::number(const Wanted& wanted) {
    if (wanted.use == Use::begin) return begin_;
    if (wanted.use == Use::duration) return duration_;
    has_numbers_ = true;
    return number_[wanted.place];
}

void Operations::write_key() {
    const auto put = [this](std::int64_t value) { key_.append(reinterpret_cast<const char*>(&value), sizeof value); };
    key_.clear();
    put(metadata_);
    for (const Seen& stat : stat_) {
        key_.push_back(static_cast<char>(stat.form));
        if (stat.form == StatForm::none) continue;
        put(stat.form == StatForm::text ? static_cast<std::int64_t>(stat.text.size()) : stat.bits);
        key_ += stat.text;
    }
}

std::int64_t Operations::kind_of_event() {
    if (has_stats_) {
        write_key();
        if (const auto found = known_.find(key_); found != known_.end()) return found->second;
        if (kinds_.size() < max_kinds_) {
            const std::int64_t kind = new_kind();
            known_.emplace(key_, kind);
            return kind;
        }
        is_cut_ = true;
        std::fill(stat_.begin(), stat_.end(), Seen{});
        has_stats_ = false;
    }
    if (metadata_ < -1 || metadata_ >= kTable) metadata_ = -1;
    const auto place = static_cast<std::size_t>(metadata_ + 1);
    if (place >= plain_.size()) plain_.resize(place + 1, -1);
    if (plain_[place] < 0) plain_[place] = new_kind();
    return plain_[place];
}

std::int64_t Operations::new_kind() {
    Kind& kind = kinds_.emplace_back();
    kind.metadata = metadata_;
    for (const Seen& stat : stat_) kind.stats.push_back({stat.form, stat.bits, std::string(stat.text)});
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
