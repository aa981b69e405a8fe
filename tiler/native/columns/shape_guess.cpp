#include "columns/shape_guess.hpp"

#include <cstring>

namespace tilescope {

namespace {

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

bool leads(const char* p, const char* end) { return *p == '0' && end - p > 1 && is_digit(p[1]); }

}  // namespace

const char* ShapeGuess::match(std::size_t key, const char* p, const char* end) {
    slot_ = key % kSlots;
    const Slot& slot = slots_[slot_];
    if (slot.runs.empty()) return nullptr;
    const char* const begin = p;
    const char* plain = slot.plain.data();
    std::size_t values = 0;
    for (std::size_t k = 0;; ++k) {
        const std::size_t run = slot.runs[k];
        if (static_cast<std::size_t>(end - p) < run || std::memcmp(p, plain, run) != 0) return nullptr;
        p += run;
        plain += run;
        if (k + 1 == slot.runs.size()) break;
        if (p == end || !is_digit(*p) || leads(p, end)) return nullptr;
        std::uint64_t value = 0;
        for (std::size_t digits = 0; digits < kMostDigits && p != end && is_digit(*p); ++digits, ++p) {
            value = 10 * value + static_cast<std::uint64_t>(*p - '0');
        }
        values_[values++] = value;
    }
    values_size_ = values;
    text_ = {begin, static_cast<std::size_t>(p - begin)};
    is_matched_ = true;
    return p;
}

void ShapeGuess::learn(std::size_t key, std::string_view text) {
    if (text.size() > kLongest) return;
    slot_ = key % kSlots;
    Slot& slot = slots_[slot_];
    slot.number = -1;
    slot.plain.clear();
    slot.runs.assign(1, 0);
    const char* const end = text.data() + text.size();
    for (const char* p = text.data(); p != end;) {
        if (!is_digit(*p) || leads(p, end)) {
            slot.plain.push_back(*p++);
            ++slot.runs.back();
            continue;
        }
        for (std::size_t digits = 0; digits < kMostDigits && p != end && is_digit(*p); ++digits) ++p;
        slot.runs.push_back(0);
    }
    text_ = text;
    is_matched_ = false;
}

void ShapeGuess::name(std::string_view before, std::int32_t number) {
    slots_[slot_].before = before;
    slots_[slot_].number = number;
}

}  // namespace tilescope
