#include "xspace/text_stat.hpp"

namespace tilescope::xspace {

namespace {

constexpr std::uint64_t stat_id = 1;
constexpr std::uint64_t first_value = 2;
constexpr std::uint64_t stat_text = 5;
constexpr std::uint64_t stat_reference = 7;  // the last value

enum WireType : std::uint64_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

[[noreturn]] void refuse() { throw std::invalid_argument("a stat is damaged"); }

Bytes skip(Bytes message, std::size_t& offset, std::uint64_t size) {
    if (size > message.size() - offset) refuse();
    const Bytes skipped = message.subspan(offset, static_cast<std::size_t>(size));
    offset += skipped.size();
    return skipped;
}

TextStat::Value value_of(std::uint64_t field, std::uint64_t wire_type) {
    if (field == stat_text) return wire_type == bytes ? TextStat::Value::text : TextStat::Value::strange;
    if (field == stat_reference) return wire_type == varint ? TextStat::Value::reference : TextStat::Value::strange;
    return TextStat::Value::none;
}

}  // namespace

StatField next_stat(Bytes message, std::size_t& offset) {
    const std::size_t begin = offset;
    if ((take_varint(message, offset) & 7) != bytes) refuse();
    const std::uint64_t size = take_varint(message, offset);
    const Bytes content = skip(message, offset, size);
    return {message.subspan(begin, offset - begin), content};
}

TextStat text_stat(Bytes content) {
    TextStat stat;
    for (std::size_t offset = 0; offset < content.size();) {
        const std::uint64_t tag = take_varint(content, offset);
        const std::uint64_t field = tag >> 3;
        std::uint64_t number = 0;
        Bytes text;
        switch (tag & 7) {
        case varint: number = take_varint(content, offset); break;
        case fixed64: skip(content, offset, 8); break;
        case bytes: text = skip(content, offset, take_varint(content, offset)); break;
        case fixed32: skip(content, offset, 4); break;
        default: refuse();
        }
        if (field == stat_id && (tag & 7) == varint) stat.id = static_cast<std::int64_t>(number);
        if (field < first_value || field > stat_reference) continue;
        stat.value = value_of(field, tag & 7);
        stat.has_text |= stat.value != TextStat::Value::none;
        stat.text = text;
        stat.reference = static_cast<std::int64_t>(number);
    }
    return stat;
}

}  // namespace tilescope::xspace
