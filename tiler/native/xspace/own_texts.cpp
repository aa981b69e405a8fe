#include "xspace/own_texts.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "columns/varint.hpp"

namespace tilescope::xspace {

namespace {

// Beyond these, texts hardly repeat: a list of them would be as long as the arguments are.
constexpr std::size_t most_texts = 2048;
constexpr std::size_t most_text_bytes = std::size_t{1} << 18;

constexpr std::uint64_t stat_id = 1;
constexpr std::uint64_t stat_text = 5;
constexpr std::uint64_t stat_reference = 7;

enum WireType : std::uint64_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct OwnStat {
    std::int64_t id = 0;
    bool is_text = false;
};

void skip(Bytes message, std::size_t& offset, std::uint64_t size) {
    if (size > message.size() - offset) throw std::invalid_argument("a stat is damaged");
    offset += static_cast<std::size_t>(size);
}

OwnStat stat_of(Bytes message) {
    OwnStat stat;
    for (std::size_t offset = 0; offset < message.size();) {
        const std::uint64_t tag = take_varint(message, offset);
        const std::uint64_t field = tag >> 3;
        std::uint64_t value = 0;
        switch (tag & 7) {
        case WireType::varint: value = take_varint(message, offset); break;
        case WireType::fixed64: skip(message, offset, 8); break;
        case WireType::bytes: skip(message, offset, take_varint(message, offset)); break;
        case WireType::fixed32: skip(message, offset, 4); break;
        default: throw std::invalid_argument("a stat is damaged");
        }
        if (field == stat_id && (tag & 7) == WireType::varint) stat.id = static_cast<std::int64_t>(value);
        // A value of a kind that is not the field's may be read in its own way: it counts as a text, which is looked at.
        if (field == stat_text || field == stat_reference) stat.is_text = true;
    }
    return stat;
}

// Appends the texts of an event to `texts`, and adds what stats it has.
void read(Bytes event, std::string& texts, std::vector<std::int64_t>& ids) {
    std::size_t offset = 0;
    if (!event.empty()) take_varint(event, offset);
    while (offset < event.size()) {
        const std::size_t begin = offset;
        const std::uint64_t tag = take_varint(event, offset);
        if ((tag & 7) != WireType::bytes) throw std::invalid_argument("a stat is damaged");
        const std::uint64_t size = take_varint(event, offset);
        const std::size_t content = offset;
        skip(event, offset, size);
        const OwnStat stat = stat_of(event.subspan(content, static_cast<std::size_t>(size)));
        if (std::find(ids.begin(), ids.end(), stat.id) == ids.end()) ids.push_back(stat.id);
        if (stat.is_text) texts += text_of(event.subspan(begin, offset - begin));
    }
}

}  // namespace

OwnTexts own_texts(Span<const std::int64_t> ends, Bytes args, std::size_t first, std::size_t stop) {
    OwnTexts out;
    std::string texts;
    if (first > stop || stop > ends.size()) throw std::invalid_argument("there are no such events");
    std::int64_t begin = first == 0 ? 0 : ends[first - 1];
    for (std::size_t k = first; k < stop && out.is_whole; ++k) {
        if (begin < 0 || ends[k] < begin || static_cast<std::uint64_t>(ends[k]) > args.size())
            throw std::invalid_argument("arguments lie beyond the data");
        texts.clear();
        try {
            read(args.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(ends[k] - begin)), texts,
                 out.ids);
        } catch (const std::invalid_argument&) {
            out.is_whole = false;
        }
        begin = ends[k];
        if (texts.empty()) continue;
        const auto number = static_cast<std::size_t>(out.texts.intern(texts));
        if (number == out.counts.size()) out.counts.push_back(0);
        ++out.counts[number];
        if (out.counts.size() > most_texts || out.texts.bytes() > most_text_bytes || out.ids.size() > most_texts)
            out.is_whole = false;
    }
    if (!out.is_whole) out = OwnTexts{{}, {}, {}, false};
    std::sort(out.ids.begin(), out.ids.end());
    return out;
}

}  // namespace tilescope::xspace
