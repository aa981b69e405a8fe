#include "xspace/named_parts.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

namespace tilescope {

namespace {

using wire::Cursor;

std::uint32_t hash_of(std::string_view name) {
    const std::size_t hash = std::hash<std::string_view>()(name);
    return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

void check_count(std::size_t count, std::size_t most) {
    if (count >= most) throw std::length_error("too many parts");
}

}  // namespace

NamedParts::NamedParts(Bytes raw, const PartFields& fields, std::size_t most) : raw_(raw) {
    if (raw.size() > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("too many bytes");
    most = std::min<std::size_t>(most, std::numeric_limits<std::int32_t>::max());
    Cursor cursor(raw_, {0, raw_.size()}, "message");
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        if (tag == wire::bytes_field(fields.outer)) {
            check_count(outer_.size(), most);
            take_outer(cursor.bytes("part"), fields, most);
        } else if (tag == wire::bytes_field(fields.other)) {
            other_ = cursor.bytes("field");
        } else {
            cursor.skip(tag);
        }
    }
    const auto is_before = [](const Numbered& a, const Numbered& b) { return a.number < b.number; };
    if (!std::is_sorted(numbered_.begin(), numbered_.end(), is_before))
        std::stable_sort(numbered_.begin(), numbered_.end(), is_before);
    enter_names();
}

void NamedParts::take_outer(wire::Range range, const PartFields& fields, std::size_t most) {
    std::int64_t number = 0;
    outer_.push({static_cast<std::uint32_t>(range.begin), static_cast<std::uint32_t>(range.end)});
    Cursor cursor(raw_, range, "message");
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        if (tag == wire::bytes_field(fields.inner)) {
            check_count(inner_.size(), most);
            take_inner(cursor.bytes("part"), fields, most);
        } else if (tag == wire::varint_field(fields.number)) {
            number = cursor.signed_varint();
        } else {
            cursor.skip(tag);
        }
    }
    numbered_.push_back({number, static_cast<std::uint32_t>(outer_.size() - 1)});
}

void NamedParts::take_inner(wire::Range range, const PartFields& fields, std::size_t most) {
    Inner part{static_cast<std::uint32_t>(outer_.size() - 1),
               static_cast<std::uint32_t>(range.begin),
               static_cast<std::uint32_t>(range.end),
               0,
               0,
               0};
    Cursor cursor(raw_, range, "message");
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        if (tag == wire::bytes_field(fields.name)) {
            check_count(names_++, most);
            const wire::Range name = cursor.bytes("name");
            part.name = static_cast<std::uint32_t>(name.begin);
            part.name_stop = static_cast<std::uint32_t>(name.end);
        } else {
            cursor.skip(tag);
        }
    }
    if (part.name_stop != 0) part.hash = hash_of(name_of(part));  // while it is in the caches
    inner_.push(part);
}

void NamedParts::enter_names() {
    std::size_t size = 1;
    while (size < 2 * inner_.size()) size *= 2;
    slots_.assign(size, {0, -1});
    for (std::size_t k = 0; k < inner_.size(); ++k) {
        const Inner& part = inner_.data()[k];
        if (part.name_stop == 0) continue;
        slots_[slot_of(name_of(part), part.hash)] = {part.hash, static_cast<std::int32_t>(k)};
    }
}

std::string_view NamedParts::name_of(const Inner& part) const {
    return text_of(raw_).substr(part.name, part.name_stop - part.name);
}

// The slot that has the part of a name, or would have it. There is a free slot, unless there is no part.
std::size_t NamedParts::slot_of(std::string_view name, std::uint32_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (slots_[slot].inner >= 0 &&
           (slots_[slot].hash != hash || name_of(inner_.data()[static_cast<std::size_t>(slots_[slot].inner)]) != name))
        slot = (slot + 1) & mask;
    return slot;
}

std::int64_t NamedParts::place_of(std::int64_t number) const {
    const auto after = std::upper_bound(numbered_.begin(), numbered_.end(), number,
                                        [](std::int64_t wanted, const Numbered& part) { return wanted < part.number; });
    if (after == numbered_.begin() || (after - 1)->number != number) return -1;
    return (after - 1)->place;
}

PartPlace NamedParts::outer_at(std::size_t place) const {
    if (place >= outer_.size()) throw std::out_of_range("no such part");
    const Outer& part = outer_.data()[place];
    return {place, {part.start, part.stop}};
}

bool NamedParts::find(std::string_view name, PartPlace& place) const {
    const std::int32_t inner = slots_[slot_of(name, hash_of(name))].inner;
    if (inner < 0) return false;
    const Inner& part = inner_.data()[static_cast<std::size_t>(inner)];
    place = {part.within, {part.start, part.stop}};
    return true;
}

}  // namespace tilescope
