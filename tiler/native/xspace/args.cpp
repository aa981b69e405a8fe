#include "xspace/args.hpp"

#include <algorithm>
#include <cstring>

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

}  // namespace

std::int64_t integer_stat(const wire::Source& args, const std::vector<std::int64_t>& ids, std::int64_t absent) {
    try {
        return read_integer_stat(args, ids, absent);
    } catch (const wire::Error&) {
        return absent;
    }
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
