// Bits of deflate, the lowest first (RFC 1951, 3.1.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/bytes.hpp"

namespace tilescope {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bits are written with the byte order of the host");

// The place that bits are written to, and those that do not fill a byte yet. Loops have one of their own, which stays
// in registers: bytes that are written may be part of any other object for the compiler.
struct BitPlace {
    static constexpr unsigned kMost = 56;  // bits at once: with those that wait, a word has them

    uint8_t* next = nullptr;
    uint64_t waiting = 0;
    unsigned n_waiting = 0;

    // `value` has no bits but these. There is room for a word.
    void put(uint64_t value, unsigned bits) {
        waiting |= value << n_waiting;
        n_waiting += bits;
        std::memcpy(next, &waiting, sizeof waiting);
        next += n_waiting / 8;
        waiting >>= n_waiting & ~7U;
        n_waiting %= 8;
    }
};

class BitWriter {
  public:
    // Calls with a place that has room for so many bits, and goes on where it is then. Throws std::logic_error when more were
    // written.
    template <typename Call>
    void write(std::size_t bits, const Call& call) {
        const std::size_t before = size_;
        bytes_.resize(before + bits / 8 + 2 * sizeof(uint64_t));
        BitPlace place{bytes_.data() + before, waiting_, n_waiting_};
        call(place);
        size_ = static_cast<std::size_t>(place.next - bytes_.data());
        if (size_ + sizeof(uint64_t) > bytes_.size()) throw std::logic_error("more bits than there is room for");
        waiting_ = place.waiting;
        n_waiting_ = place.n_waiting;
    }

    // Zeros up to the end of a byte, and bytes behind them.
    void write_bytes(Bytes bytes) {
        if (n_waiting_ != 0) write(8, [this](BitPlace& place) { place.put(0, 8 - n_waiting_); });
        bytes_.resize(size_);
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        size_ += bytes.size();
    }

    bool is_at_byte() const { return n_waiting_ == 0; }

    // All bytes that are whole; those that follow begin anew.
    std::vector<uint8_t> take() {
        bytes_.resize(std::exchange(size_, 0));
        return std::move(bytes_);
    }

  private:
    std::vector<uint8_t> bytes_;
    std::size_t size_ = 0;  // of those that are written
    uint64_t waiting_ = 0;
    unsigned n_waiting_ = 0;
};

}  // namespace tilescope
