#include "xspace/args.hpp"

#include <algorithm>

namespace tilescope::xspace {

using wire::Cursor;
using wire::varint_field;

std::int64_t integer_stat(const wire::Source& args, const std::vector<std::int64_t>& ids, std::int64_t absent) {
    std::int64_t found = absent;
    Cursor cursor(args, {0, args.size()}, "event");
    if (cursor.at_end()) return found;
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
        if (value != absent && std::find(ids.begin(), ids.end(), id) != ids.end()) found = value;
    }
    return found;
}

StatValue stat_value(const wire::Source& args, const std::vector<std::int64_t>& ids) {
    StatValue found;
    Cursor cursor(args, {0, args.size()}, "event");
    if (cursor.at_end()) {
        found.metadata = UINT64_MAX;
        return found;
    }
    found.metadata = cursor.varint();
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        if ((tag & 7) != 2) {
            cursor.skip(tag);
            continue;
        }
        Cursor stat = cursor.message("stat");
        std::int64_t id = 0;
        StatValue value;
        value.kind = StatKind::other;
        value.metadata = found.metadata;
        while (!stat.at_end()) {
            const std::uint32_t field = stat.tag();
            switch (field) {
            case varint_field(1): id = stat.signed_varint(); break;
            case wire::fixed64_field(2): {
                stat.skip(field);
                value.kind = StatKind::real;
                std::uint64_t bits = 0;
                for (std::size_t k = 0; k < 8; ++k) bits |= std::uint64_t{args[stat.offset() - 8 + k]} << (8 * k);
                value.bits = static_cast<std::int64_t>(bits);
                break;
            }
            case varint_field(3):
                value.kind = StatKind::unsigned_integer;
                value.bits = stat.signed_varint();
                break;
            case varint_field(4):
                value.kind = StatKind::integer;
                value.bits = stat.signed_varint();
                break;
            case wire::bytes_field(5):
                value.kind = StatKind::text;
                value.text = stat.bytes("text");
                break;
            case varint_field(7):
                value.kind = StatKind::reference;
                value.bits = stat.signed_varint();
                break;
            default:
                if (wire::field_number(field) == 6) value.kind = StatKind::other;
                stat.skip(field);
            }
        }
        if (std::find(ids.begin(), ids.end(), id) != ids.end()) found = value;
    }
    return found;
}

}  // namespace tilescope::xspace
