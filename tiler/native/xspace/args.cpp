#include "xspace/args.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "xspace/quick_stat.hpp"

namespace tilescope::xspace {

using wire::Cursor;
using wire::varint_field;

namespace {

std::int64_t read_integer_stat(const wire::Source& args, const std::vector<std::int64_t>& ids, std::int64_t absent) {
    std::int64_t last = absent;
    Cursor cursor(args, {0, args.size()}, "event");
    if (cursor.at_end()) return last;
    cursor.varint();
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        if ((tag & 7) != 2) {
            cursor.skip(tag);
            continue;
        }
        Cursor stat = cursor.message("stat");
        std::int64_t id = 0;
        std::int64_t value = absent;
        while (!stat.at_end()) {
            const std::uint32_t field = stat.tag();
            switch (field) {
            case varint_field(1): id = stat.signed_varint(); break;
            case varint_field(3):
            case varint_field(4): value = stat.signed_varint(); break;
            default: stat.skip(field);
            }
        }
        if (value != absent && std::binary_search(ids.begin(), ids.end(), id)) last = value;
    }
    return last;
}

// Numbers of 2**61 and more are none: keys have a bit for the side, and a sign.
constexpr std::int64_t kNumbers = std::int64_t{1} << 61;

// Reads `read_integer_stat` of arguments as nearly all are: stats that are an id and one value. `end`: of the event, whose
// arguments are followed by others up to `file_end`. False: it is not like that.
bool quick_integer_stat(const std::uint8_t* p, const std::uint8_t* end, const std::uint8_t* file_end,
                        std::int64_t wanted, std::int64_t& value) {
    std::uint64_t number = 0;
    if (file_end - p < static_cast<std::ptrdiff_t>(sizeof(number))) return false;
    p = wire::readable_varint(p, number);
    QuickStat stat;
    while (p != nullptr && p < end) {
        p = quick_stat(p, end, file_end, stat);
        const bool is_integer = stat.tag == varint_field(3) || stat.tag == varint_field(4);
        if (is_integer && static_cast<std::int64_t>(stat.id) == wanted && stat.bits != 0)
            value = static_cast<std::int64_t>(stat.bits);
    }
    return p == end;
}

}  // namespace

std::int64_t integer_stat(const wire::Source& args, const std::vector<std::int64_t>& ids, std::int64_t absent) {
    try {
        return read_integer_stat(args, ids, absent);
    } catch (const wire::Error&) {
        return absent;
    }
}

std::vector<std::int64_t> correlation_keys(Span<const std::int64_t> ends, const wire::Source& args, std::size_t first,
                                           std::size_t stop, const std::vector<std::int64_t>& ids, bool is_on_device) {
    if (first > stop || stop > ends.size()) throw std::invalid_argument("there are no such events");
    std::vector<std::int64_t> keys;
    keys.reserve(stop - first);
    const std::uint8_t* const args_end = args.data() + args.size();
    std::int64_t begin = first == 0 ? 0 : ends[first - 1];
    if (begin < 0) throw std::invalid_argument("arguments lie beyond the data");
    for (const std::int64_t end : ends.subspan(first, stop - first)) {
        if (end < begin || static_cast<std::uint64_t>(end) > args.size())
            throw std::invalid_argument("arguments lie beyond the data");
        const std::uint8_t* const data = args.data() + begin;
        const auto size = static_cast<std::size_t>(end - begin);
        std::int64_t number = 0;
        if (ids.size() != 1 || !quick_integer_stat(data, data + size, args_end, ids.front(), number))
            number = integer_stat({data, size}, ids, 0);
        keys.push_back(number > 0 && number < kNumbers ? -2 - (2 * number + (is_on_device ? 1 : 0)) : -1);
        begin = end;
    }
    return keys;
}

WantedStats::WantedStats(const std::vector<std::vector<std::int64_t>>& ids, bool has_number)
    : wanted_(ids), has_number_(has_number) {}

std::int64_t WantedStats::read(const wire::Source& args, Span<ArgumentValue> values) const {
    try {
        return read_checked(args, values);
    } catch (const wire::Error&) {
        ArgumentValue unclear;
        unclear.kind = ValueKind::unclear;
        std::fill(values.begin(), values.end(), unclear);
        return -1;
    }
}

namespace {

// A stat: its id, and its value.
struct ReadStat {
    std::int64_t id = 0;
    ArgumentValue value;
};

ReadStat read_stat(const wire::Source& args, Cursor stat) {
    ReadStat read;
    ArgumentValue& value = read.value;
    value.kind = ValueKind::null;
    while (!stat.at_end()) {
        const std::uint32_t field = stat.tag();
        switch (field) {
        case varint_field(1): read.id = stat.signed_varint(); break;
        case wire::fixed64_field(2): {
            const double real = stat.fixed_double();
            value.kind = ValueKind::real;
            std::memcpy(&value.bits, &real, sizeof(real));
            break;
        }
        case varint_field(3):
            value.bits = stat.signed_varint();
            value.kind = value.bits < 0 ? ValueKind::unsigned_integer : ValueKind::integer;
            break;
        case varint_field(4):
            value.kind = ValueKind::integer;
            value.bits = stat.signed_varint();
            break;
        case wire::bytes_field(5):
            value.kind = ValueKind::text;
            value.text = wire::text(args, stat.bytes("text"));
            break;
        case varint_field(7):
            value.kind = ValueKind::reference;
            value.bits = stat.signed_varint();
            break;
        default:
            if (wire::field_number(field) >= 2 && wire::field_number(field) <= 7) value.kind = ValueKind::unclear;
            stat.skip(field);
        }
    }
    return read;
}

}  // namespace

std::int64_t WantedStats::read_checked(const wire::Source& args, Span<ArgumentValue> values) const {
    std::fill(values.begin(), values.end(), ArgumentValue());
    Cursor cursor(args, {0, args.size()}, "event");
    if (cursor.at_end()) return -1;
    const std::int64_t metadata = has_number_ ? cursor.signed_varint() : -1;
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        if ((tag & 7) != 2) {
            cursor.skip(tag);
            continue;
        }
        const ReadStat read = read_stat(args, cursor.message("stat"));
        wanted_.each(read.id, [&](std::size_t argument) {
            ArgumentValue& value = values[argument];
            const bool is_second = value.kind != ValueKind::absent;
            value = read.value;
            if (is_second) value.kind = ValueKind::unclear;
        });
    }
    return metadata;
}

}  // namespace tilescope::xspace
