#include "xspace/correlation.hpp"

#include <stdexcept>

namespace tilescope::xspace {

using wire::bytes_field;
using wire::eight_bytes;
using wire::varint_field;

bool NumberStat::walk(const std::uint8_t* stats, std::size_t size, Form* form, std::uint64_t& number) const {
    constexpr std::uint64_t kBegin = bytes_field(4) | std::uint64_t{varint_field(1)} << 16;
    const std::uint8_t* const end = stats + size;
    std::uint64_t bits = 0;
    const std::uint8_t* p = stats;
    Form made;
    std::size_t numbers = 0;
    while (p < end) {
        const std::uint64_t head = eight_bytes(p);
        const bool is_wide = (head >> 31 & 1) != 0;  // an id of two bytes
        const std::uint8_t* const value = p + (is_wide ? 6 : 5);
        const std::size_t stat_size = head >> 8 & 0xff;
        const std::uint8_t* const stop = p + 2 + stat_size;
        const std::uint64_t tag = head >> (is_wide ? 40 : 32) & 0xff;
        const std::uint64_t last = head >> 32 & 0xff;
        const bool is_number = tag == varint_field(3) || tag == varint_field(4);
        if ((head & 0xff'00'ff) != kBegin || stat_size >= 0x80 || stop > end || (is_wide && last >= 0x80) ||
            !(is_number || tag == varint_field(7)) || wire::readable_varint(value, bits) != stop)
            return false;
        if (is_number && ((head >> 24 & 0x7f) | (is_wide ? last << 7 : 0)) == id_) {
            ++numbers;
            made.number_at = static_cast<std::size_t>(value - stats);
            if (bits != 0) number = bits;
        }
        if (form != nullptr)
            made.expect(static_cast<std::size_t>(p - stats), static_cast<std::size_t>(value - stats), 0xff);
        p = stop;
    }
    if (p != end) return false;
    if (form != nullptr && numbers < 2) {
        made.size = size;
        made.expect(0, size, 0x80);
        for (std::size_t k = 0; k * kWord < size; ++k) made.expected[k] = eight_bytes(stats + k * kWord) & made.mask[k];
        *form = made;
    }
    return true;
}

Column<std::int64_t> correlation_keys(Span<const std::int64_t> ends, const wire::Source& args, std::size_t first,
                                      std::size_t stop, CorrelationKeys keys) {
    if (first > stop || stop > ends.size()) throw std::invalid_argument("there are no such events");
    Column<std::int64_t> column;
    column.ensure(stop - first);
    std::int64_t begin = first == 0 ? 0 : ends[first - 1];
    if (begin < 0) throw std::invalid_argument("arguments lie beyond the data");
    for (const std::int64_t end : ends.subspan(first, stop - first)) {
        if (end < begin || static_cast<std::uint64_t>(end) > args.size())
            throw std::invalid_argument("arguments lie beyond the data");
        column.push_unchecked(keys.key(args.data() + begin, static_cast<std::size_t>(end - begin),
                                       args.size() - static_cast<std::size_t>(end)));
        begin = end;
    }
    return column;
}

}  // namespace tilescope::xspace
