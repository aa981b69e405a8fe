#include "xspace/own_texts.hpp"

#include <algorithm>
#include <stdexcept>

#include "columns/varint.hpp"
#include "xspace/text_stat.hpp"

namespace tilescope::xspace {

namespace {

constexpr std::size_t most_ids = 2048;

// Beyond this, texts hardly repeat: a list of them would be as long as the arguments are.
constexpr TextRoom room{2048, std::size_t{1} << 18, 32, std::size_t{1} << 24, 64, 1, 4};

// As nearly all stats begin: the field of an event, then the stat's id.
constexpr std::uint8_t stats_tag = 0x22, id_tag = 0x08;
constexpr std::uint8_t real_tag = 0x11, unsigned_tag = 0x18, integer_tag = 0x20;
constexpr std::size_t head_bytes = 5;  // those two, size and id, and the tag of the value
constexpr std::size_t most_varint = 10;

bool is_varint(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0 || size > most_varint || bytes[size - 1] >= 0x80) return false;
    for (std::size_t k = 0; k + 1 < size; ++k)
        if (bytes[k] < 0x80) return false;
    return true;
}

// The id of a stat that is a number, as nearly all are, from `offset` on, which moves behind it; -1: another one.
int number_stat(Bytes event, std::size_t& offset) {
    const std::uint8_t* bytes = event.data() + offset;
    const std::size_t left = event.size() - offset;
    if (left <= head_bytes || bytes[0] != stats_tag || bytes[2] != id_tag || bytes[3] >= 0x80) return -1;
    const std::size_t size = std::size_t{bytes[1]} + 2;
    if (size <= head_bytes || size > left || bytes[1] >= 0x80) return -1;
    const std::size_t value_size = size - head_bytes;
    const bool is_integer = (bytes[4] == unsigned_tag || bytes[4] == integer_tag);
    if (is_integer ? !is_varint(bytes + head_bytes, value_size) : bytes[4] != real_tag || value_size != sizeof(double))
        return -1;
    offset += size;
    return bytes[3];
}

}  // namespace

OwnTexts::OwnTexts(std::size_t part_events) : texts(part_events, room) {}

OwnTextMaker::OwnTextMaker(std::int64_t first_number, Span<const std::int32_t> slots, std::size_t part_events)
    : first_number_(first_number), slots_(slots), part_events_(part_events), made_(part_events) {}

void OwnTextMaker::add(Span<const std::int64_t> ends, std::int64_t begin, Bytes args) {
    for (const std::int64_t end : ends) {
        if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > args.size())
            throw std::invalid_argument("arguments lie beyond the data");
        if (made_.is_readable)
            add(args.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
        begin = end;
    }
}

OwnTexts& OwnTextMaker::finish() {
    for (std::size_t id = 0; id < are_met_.size(); ++id)
        if (are_met_[id]) add_id(static_cast<std::int64_t>(id));
    if (made_.is_readable && made_.ids.size() <= most_ids) {
        made_.texts.finish();
        for (const auto& [slot, events] : events_) made_.slots.push_back(slot);
        std::sort(made_.slots.begin(), made_.slots.end());
        for (const std::int32_t slot : made_.slots) made_.events.push_back(events_[slot]);
    } else {
        made_ = OwnTexts(part_events_);
        made_.is_readable = false;
    }
    return made_;
}

void OwnTextMaker::add(Bytes event) {
    if (!event.empty()) {
        made_.texts.see(event.size());
        texts_.clear();
        try {
            read(event);
        } catch (const std::invalid_argument&) {
            made_.is_readable = false;
        }
        if (!texts_.empty() && made_.texts.has_room()) made_.texts.count(texts_);
    }
    made_.texts.end_row();
}

// Appends the texts of an event, and adds what stats it has.
void OwnTextMaker::read(Bytes event) {
    std::size_t offset = 0;
    const auto number = static_cast<std::int64_t>(take_varint(event, offset));
    const std::uint64_t place = static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(first_number_);
    if (place < slots_.size() && slots_[place] >= 0) ++events_[slots_[place]];
    while (offset < event.size()) {
        const int small = number_stat(event, offset);
        if (small >= 0) {
            are_met_[static_cast<std::size_t>(small)] = true;
            continue;
        }
        const StatField field = next_stat(event, offset);
        const TextStat stat = text_stat(field.content);
        add_id(stat.id);
        if (made_.ids.size() > most_ids) throw std::invalid_argument("too many stats");
        // A value of a kind that is not the field's may be read in its own way: it counts as a text, which is looked at.
        if (stat.has_text) texts_ += text_of(field.whole);
    }
}

void OwnTextMaker::add_id(std::int64_t id) {
    const auto place = std::lower_bound(made_.ids.begin(), made_.ids.end(), id);
    if (place == made_.ids.end() || *place != id) made_.ids.insert(place, id);
}

}  // namespace tilescope::xspace
