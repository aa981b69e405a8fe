#include "columns/shape_guess.hpp"

#include <algorithm>
#include <numeric>

#include "base/begins_with.hpp"

namespace tilescope {

namespace {

bool leads(const char* p, const char* end) { return *p == '0' && end - p > 1 && is_digit(p[1]); }

}  // namespace

ShapeGuess::ShapeGuess() {
    for (Order& order : order_) std::iota(order.begin(), order.end(), std::uint8_t{0});
}

const char* ShapeGuess::match(std::size_t key, const char* p, const char* end) {
    key %= kKeys;
    for (std::size_t place = 0; place < kPerKey; ++place) {
        const Slot& slot = slots_[key * kPerKey + order_[key][place]];
        if (slot.runs.empty()) break;
        if (const char* after = match_slot(slot, p, end)) {
            choose(key, place);
            text_ = {p, static_cast<std::size_t>(after - p)};
            is_matched_ = true;
            return after;
        }
    }
    return nullptr;
}

const char* ShapeGuess::match_slot(const Slot& slot, const char* p, const char* end) {
    const char* plain = slot.plain.data();
    values_size_ = 0;
    for (std::size_t k = 0;; ++k) {
        const std::size_t run = slot.runs[k];
        if (!begins_with(p, end, plain, run)) return nullptr;
        p += run;
        plain += run;
        if (k + 1 == slot.runs.size()) return p;
        if (p == end || !is_digit(*p) || leads(p, end)) return nullptr;
        std::uint64_t value = 0;
        for (std::size_t digits = 0; digits < kMostDigits && p != end && is_digit(*p); ++digits, ++p) {
            value = 10 * value + static_cast<std::uint64_t>(*p - '0');
        }
        values_[values_size_++] = value;
    }
}

// Goes on with the slot at that place, which is first from now on.
void ShapeGuess::choose(std::size_t key, std::size_t place) {
    const auto first = order_[key].begin();
    std::rotate(first, first + static_cast<std::ptrdiff_t>(place), first + static_cast<std::ptrdiff_t>(place) + 1);
    slot_ = key * kPerKey + order_[key].front();
}

void ShapeGuess::learn(std::size_t key, std::string_view text) {
    if (text.size() > kLongest) return;
    choose(key % kKeys, kPerKey - 1);
    Slot& slot = slots_[slot_];
    slot.number = -1;
    slot.plain.clear();
    slot.runs.clear();
    const char* const end = text.data() + text.size();
    const char* p = text.data();
    for (const char* from = p;; from = p) {
        while (p != end && (!is_digit(*p) || leads(p, end))) ++p;
        slot.plain.append(from, p);
        slot.runs.push_back(static_cast<std::uint32_t>(p - from));
        if (p == end) break;
        std::size_t digits = 0;
        do {  // a byte at least, should it be no digit any more: it may lie in a file that somebody writes
            ++p;
        } while (++digits < kMostDigits && p != end && is_digit(*p));
    }
    slot.plain.append(kReadBehind, '\0');
    text_ = text;
    is_matched_ = false;
}

void ShapeGuess::name(std::string_view before, std::int32_t number) {
    slots_[slot_].before = before;
    slots_[slot_].number = number;
}

}  // namespace tilescope
