#include "columns/intern.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace tilescope {

namespace {

constexpr std::size_t slots_at_first = 64;

// The least number of slots for each string: many while that costs little.
std::size_t slots_per_string(std::size_t slots) { return slots < std::size_t{1} << 16 ? 4 : 2; }

template <typename Word>
std::uint64_t load(const char* p) {
    Word word;
    std::memcpy(&word, p, sizeof word);
    return word;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Sixteen bytes a step; the last step overlaps the one before rather than read bytes one by one.
std::uint64_t hash_of(std::string_view text) {
    constexpr std::uint64_t first_salt = 0x9E3779B97F4A7C15ULL;
    constexpr std::uint64_t second_salt = 0xD1B54A32D192ED03ULL;
    const char* p = text.data();
    const std::size_t size = text.size();
    std::uint64_t hash = mix(size ^ first_salt, second_salt);
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    if (size > 16) {
        const char* last = p + size - 16;
        for (; p < last; p += 16) hash = mix(load<std::uint64_t>(p) ^ first_salt, load<std::uint64_t>(p + 8) ^ hash);
        a = load<std::uint64_t>(last);
        b = load<std::uint64_t>(last + 8);
    } else if (size >= 8) {
        a = load<std::uint64_t>(p);
        b = load<std::uint64_t>(p + size - 8);
    } else if (size >= 4) {
        a = load<std::uint32_t>(p);
        b = load<std::uint32_t>(p + size - 4);
    } else if (size > 0) {
        a = load<std::uint8_t>(p) | load<std::uint8_t>(p + size / 2) << 8 | load<std::uint8_t>(p + size - 1) << 16;
    }
    return mix(mix(a ^ first_salt, b ^ hash), second_salt);
}

bool same_bytes(std::string_view first, std::string_view second) {
    const std::size_t size = first.size();
    if (size != second.size()) return false;
    const char* a = first.data();
    const char* b = second.data();
    if (size < 8) {
        std::size_t k = 0;
        while (k < size && a[k] == b[k]) ++k;
        return k == size;
    }
    for (std::size_t k = 0; k + 8 < size; k += 8) {
        if (load<std::uint64_t>(a + k) != load<std::uint64_t>(b + k)) return false;
    }
    return load<std::uint64_t>(a + size - 8) == load<std::uint64_t>(b + size - 8);
}

}  // namespace

std::string_view Interner::at(std::int32_t number) const {
    const Entry& entry = entries_.at(static_cast<std::size_t>(number));
    return std::string_view(arena_).substr(entry.first, entry.size);
}

std::int32_t Interner::intern(std::string_view text) { return intern(text, hash_of(text)); }

// Tables are often much larger than the caches: the slots of the strings to come are asked for ahead.
std::vector<std::int32_t> Interner::intern_all(const Interner& other) {
    constexpr std::size_t ahead = 8;
    std::vector<std::int32_t> numbers(other.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        if (k + ahead < numbers.size() && !slots_.empty()) {
            const auto hash = static_cast<std::size_t>(other.entries_[k + ahead].hash);
            __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
        }
        numbers[k] = intern(other.at(static_cast<std::int32_t>(k)), other.entries_[k].hash);
    }
    return numbers;
}

std::int32_t Interner::find(std::string_view text) const { return find(text, hash_of(text)); }

std::int32_t Interner::find(std::string_view text, std::uint64_t hash) const {
    return slots_.empty() ? -1 : slots_[slot_of(text, hash)].number;
}

std::uint64_t Interner::expect(std::string_view text) const {
    const std::uint64_t hash = hash_of(text);
    expect(hash);
    return hash;
}

void Interner::expect(std::uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[static_cast<std::size_t>(hash) & (slots_.size() - 1)]);
}

std::uint64_t Interner::hash(std::string_view text) { return hash_of(text); }

// The slot that has the string, or would have it. There is a free slot.
std::size_t Interner::slot_of(std::string_view text, std::uint64_t hash) const {
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(hash) & mask;
    for (; slots_[slot].number >= 0; slot = (slot + 1) & mask) {
        if (slots_[slot].tag != tag) continue;
        const Entry& entry = entries_[static_cast<std::size_t>(slots_[slot].number)];
        if (same_bytes({arena_.data() + entry.first, entry.size}, text)) break;
    }
    return slot;
}

std::int32_t Interner::intern(std::string_view text, std::uint64_t hash) {
    if (slots_per_string(slots_.size()) * (entries_.size() + 1) > slots_.size())
        grow(slots_.empty() ? slots_at_first : 2 * slots_.size());
    const std::size_t slot = slot_of(text, hash);
    if (slots_[slot].number >= 0) return slots_[slot].number;
    if (entries_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw std::length_error("too many distinct strings");
    }
    slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(entries_.size())};
    entries_.push_back({hash, arena_.size(), text.size()});
    arena_ += text;
    return slots_[slot].number;
}

void Interner::reserve(std::size_t strings, std::size_t bytes) {
    std::size_t slots = std::max(slots_.size(), slots_at_first);
    while (slots_per_string(slots) * (entries_.size() + strings) > slots) slots *= 2;
    if (slots > slots_.size()) grow(slots);
    entries_.reserve(entries_.size() + strings);
    arena_.reserve(arena_.size() + bytes);
}

void Interner::grow(std::size_t slots) {
    slots_.assign(slots, Slot{0, -1});
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t number = 0; number < entries_.size(); ++number) {
        const std::uint64_t hash = entries_[number].hash;
        std::size_t slot = static_cast<std::size_t>(hash) & mask;
        while (slots_[slot].number >= 0) slot = (slot + 1) & mask;
        slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(number)};
    }
}

}  // namespace tilescope
