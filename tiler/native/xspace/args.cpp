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

}  // namespace tilescope::xspace
