#include "intern.hpp"

#include <cstring>
#include <limits>
#include <stdexcept>

namespace tilescope {

namespace {

constexpr std::size_t slots_at_first = 64;

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 32);
}

std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = text.size();
    const char* p = text.data();
    std::size_t left = text.size();
    for (; left >= 8; left -= 8, p += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, p, 8);
        hash = mix(hash, word);
    }
    std::uint64_t word = 0;
    if (left > 0) std::memcpy(&word, p, left);
    return mix(mix(hash, word), 0);
}

}  // namespace

std::string_view Interner::at(std::int32_t number) const {
    const Entry& entry = entries_.at(static_cast<std::size_t>(number));
    return std::string_view(arena_).substr(entry.first, entry.size);
}

std::int32_t Interner::intern(std::string_view text) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    const std::uint64_t hash = hash_of(text);
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(hash) & mask;
    for (; slots_[slot] >= 0; slot = (slot + 1) & mask) {
        const Entry& entry = entries_[static_cast<std::size_t>(slots_[slot])];
        if (entry.hash == hash && std::string_view(arena_).substr(entry.first, entry.size) == text) return slots_[slot];
    }
    if (entries_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw std::length_error("too many distinct strings");
    }
    slots_[slot] = static_cast<std::int32_t>(entries_.size());
    entries_.push_back({hash, arena_.size(), text.size()});
    arena_ += text;
    return slots_[slot];
}

void Interner::grow() {
    slots_.assign(slots_.empty() ? slots_at_first : 2 * slots_.size(), -1);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t number = 0; number < entries_.size(); ++number) {
        std::size_t slot = static_cast<std::size_t>(entries_[number].hash) & mask;
        while (slots_[slot] >= 0) slot = (slot + 1) & mask;
        slots_[slot] = static_cast<std::int32_t>(number);
    }
}

}  // namespace tilescope
