#include "xspace/operation_stats.hpp"

#include <algorithm>
#include <cstring>

namespace tilescope::xspace {

using wire::Cursor;
using wire::varint_field;

namespace {

// The form of a stat, by the field with its value.
StatForm form_of(std::uint32_t tag) {
    switch (tag) {
    case varint_field(3): return StatForm::unsigned_integer;
    case varint_field(4): return StatForm::integer;
    case varint_field(7): return StatForm::reference;
    case wire::bytes_field(5): return StatForm::text;
    default: return StatForm::none;
    }
}

bool is_integer(StatForm form) { return form == StatForm::unsigned_integer || form == StatForm::integer; }

// Notes where a stat lies that was read quickly, up to `stop`: the first of them, if its varint is the shortest.
void note(PlacedStat& placed, std::uint64_t value, std::uint8_t tag, std::size_t place, const std::uint8_t* p,
          const std::uint8_t* stop) {
    const auto size = static_cast<std::size_t>(stop - p);
    if (placed.size != 0 || place >= PlacedStat::kPlaces || (stop[-1] == 0 && size != StatBytes::kLeast)) return;
    placed = {value, static_cast<std::uint16_t>(place), static_cast<std::uint8_t>(size), tag};
}

}  // namespace

OperationStats::OperationStats(const OperationIds& ids)
    : numbers_(ids.numbers.size(), kAbsent), stats_(ids.of_kind.size()) {
    want(ids.begin, Use::begin, 0);
    want(ids.duration, Use::duration, 0);
    for (std::size_t place = 0; place < ids.numbers.size(); ++place) want(ids.numbers[place], Use::number, place);
    for (std::size_t place = 0; place < ids.of_kind.size(); ++place) want(ids.of_kind[place], Use::kind, place);
    for (const Wanted& wanted : wanted_) {
        if (wanted.id < 0 || static_cast<std::uint64_t>(wanted.id) >= quick_.size()) continue;
        Wanted& quick = quick_[static_cast<std::size_t>(wanted.id)];
        if (quick.use == Use::none) quick = wanted;
    }
    if (!ids.duration.empty()) time_ids_.duration = ids.duration.front();
    if (!ids.begin.empty()) time_ids_.begin = ids.begin.front();
}

void OperationStats::want(const std::vector<std::int64_t>& ids, Use use, std::size_t place) {
    for (const std::int64_t id : ids) wanted_.push_back({id, use, place});
}

void OperationStats::forget() {
    metadata_ = -1;
    begin_ = duration_ = kAbsent;
    times_ = {};
    if (has_numbers_) std::fill(numbers_.begin(), numbers_.end(), kAbsent);
    has_numbers_ = false;
    if (has_stats_) std::fill(stats_.begin(), stats_.end(), SeenStat{});
    has_stats_ = false;
}

void OperationStats::read_anyhow(const wire::Source& args) {
    try {
        read_carefully(args);
        times_ = find_times(args, time_ids_);
    } catch (const wire::Error&) {
        forget();
    }
}

// Reads arguments as nearly all are; false where they have to be read with more care.
bool OperationStats::read_quickly(const wire::Source& args, const std::uint8_t* all_end) {
    forget();
    const std::uint8_t* const end = args.end();
    if (all_end - end < UsualOperation::kMargin) return false;
    std::uint64_t metadata = 0;
    const std::uint8_t* p = wire::readable_varint(args.begin(), metadata);
    if (p == nullptr || p > end) return false;
    metadata_ = static_cast<std::int64_t>(metadata);
    for (const std::uint8_t* next = nullptr; p != end; p = next) {
        next = read_time(p, args);
        if (next == nullptr) next = read_other(p, args, all_end);
        if (next == nullptr) return false;
    }
    return true;
}

// Reads a time that is written as the one before was: most stats are times. Returns where it ends, or null.
inline const std::uint8_t* OperationStats::read_time(const std::uint8_t* p, const wire::Source& args) {
    const std::uint64_t head = wire::eight_bytes(p);
    const bool is_begin = (head & TimeHeads::kMask) == heads_.begin;
    if (!is_begin && (head & TimeHeads::kMask) != heads_.duration) return nullptr;
    QuickTime time;
    if (!time.read(p, args.end(), head)) return nullptr;
    (is_begin ? begin_ : duration_) = static_cast<std::int64_t>(time.value);
    note(is_begin ? times_.begin : times_.duration, time.value, time.tag, static_cast<std::size_t>(p - args.begin()), p,
         p + time.size);
    return p + time.size;
}

// The same of any other stat.
const std::uint8_t* OperationStats::read_other(const std::uint8_t* p, const wire::Source& args,
                                               const std::uint8_t* file_end) {
    QuickStat stat;
    const std::uint8_t* const next = quick_stat(p, args.end(), file_end, stat);
    if (next == nullptr) return nullptr;
    const Wanted& wanted = quick_[stat.id];
    if (wanted.use == Use::none) return next;
    const StatForm form = form_of(stat.tag);
    if (is_integer(form) && (wanted.use == Use::begin || wanted.use == Use::duration)) {
        const bool is_begin = wanted.use == Use::begin;
        (is_begin ? begin_ : duration_) = static_cast<std::int64_t>(stat.bits);
        if (wanted.id != (is_begin ? time_ids_.begin : time_ids_.duration)) return next;
        note(is_begin ? times_.begin : times_.duration, stat.bits, static_cast<std::uint8_t>(stat.tag),
             static_cast<std::size_t>(p - args.begin()), p, next);
        (is_begin ? heads_.begin : heads_.duration) = wire::eight_bytes(p) & TimeHeads::kMask;
    } else if (form == StatForm::text) {
        take(wanted, {form, 0, text_of({stat.text, static_cast<std::size_t>(next - stat.text)})});
    } else if (form != StatForm::none) {
        take(wanted, {form, static_cast<std::int64_t>(stat.bits), {}});
    }
    return next;
}

void OperationStats::read_carefully(const wire::Source& args) {
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

void OperationStats::read_stat(const wire::Source& args, Cursor stat) {
    std::int64_t id = 0;
    SeenStat seen;
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
    if (seen.form == StatForm::none) return;
    const auto is_of_id = [id](const Wanted& wanted) { return wanted.id == id; };
    const auto wanted = std::find_if(wanted_.begin(), wanted_.end(), is_of_id);
    if (wanted != wanted_.end()) take(*wanted, seen);
}

void OperationStats::take(const Wanted& wanted, const SeenStat& stat) {
    if (wanted.use == Use::kind) {
        stats_[wanted.place] = stat;
        if (stat.form != StatForm::text) stats_[wanted.place].text = {};
        has_stats_ = true;
    } else if (is_integer(stat.form)) {
        if (wanted.use == Use::begin) begin_ = stat.bits;
        if (wanted.use == Use::duration) duration_ = stat.bits;
        if (wanted.use != Use::number) return;
        numbers_[wanted.place] = stat.bits;
        has_numbers_ = true;
    }
}

}  // namespace tilescope::xspace
