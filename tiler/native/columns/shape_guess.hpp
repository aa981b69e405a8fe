// Arguments of events that were seen before: those of the next event mostly differ from them in numbers alone.
//
// A text that is like one that was whole is as whole, and its shape is known: it is gone through once, piece by piece, where it
// was passed over, taken apart and looked up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/span.hpp"
#include "columns/text_shape.hpp"

namespace tilescope {

class ShapeGuess {
  public:
    ShapeGuess();

    static constexpr std::size_t kLongest = 2048;  // texts that are learned

    // Matches the text from `p` on with the last few that were learned under `key`: it is to begin as one of these does
    // as a whole, whatever its numbers. Returns where it ends, or null. Numbers with zeros before other digits are like
    // none.
    const char* match(std::size_t key, const char* p, const char* end);

    // Learns a text that was looked at as a whole.
    void learn(std::size_t key, std::string_view text);

    // Nothing was matched or learned.
    void forget() { text_ = {}; }

    // The text that was matched or learned last; empty: nothing. Its numbers, where it was matched.
    std::string_view text() const { return text_; }
    bool is_matched() const { return is_matched_; }
    Span<const std::uint64_t> values() const { return {values_.data(), values_size_}; }

    // The text that stood before such a text as a whole, and the number that the shape of both has; -1: that is not
    // known.
    std::string_view before() const { return slots_[slot_].before; }
    std::int32_t number() const { return slots_[slot_].number; }
    void name(std::string_view before, std::int32_t number);

  private:
    static constexpr std::size_t kKeys = 32;
    static constexpr std::size_t kPerKey = 4;  // operators on the CPU have arguments of three or four kinds, by turns

    struct Slot {
        std::string plain;  // all that is no number, and kReadBehind bytes more
        std::vector<std::uint32_t> runs;  // how long it is before each number, and behind the last
        std::string before;
        std::int32_t number = -1;
    };

    // The slots of a key, the one that was used last first.
    using Order = std::array<std::uint8_t, kPerKey>;

    const char* match_slot(const Slot& slot, const char* p, const char* end);
    void choose(std::size_t key, std::size_t place);

    std::array<Slot, kKeys * kPerKey> slots_;
    std::array<Order, kKeys> order_{};
    std::size_t slot_ = 0;
    std::string_view text_;
    bool is_matched_ = false;
    std::array<std::uint64_t, kLongest> values_{};
    std::size_t values_size_ = 0;
};

}  // namespace tilescope
