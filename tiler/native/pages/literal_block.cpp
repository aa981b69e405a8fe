#include "pages/literal_block.hpp"

#include <algorithm>
#include <cstring>

namespace tilescope {

namespace {

// Four codes of so many bits go into the writer at once.
constexpr unsigned kMostBits = 14;
static_assert(4 * kMostBits <= BitPlace::kMost);

constexpr unsigned kStored = 0,
                   kOwnCodes = 2;  // the kinds of blocks, before the bit that says whether it is the last one
constexpr std::size_t kEnd = 256;
constexpr std::size_t kMostStored = 0xFFFF;
constexpr unsigned kMostBitsOfLengths = 7;

// The order in which the code for lengths is written, those that occur least at the end.
constexpr std::array<uint8_t, 19> kOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

constexpr std::size_t kAgain = 16, kSomeZeros = 17, kManyZeros = 18;

std::array<uint32_t, kMostSymbols> counts_of(Bytes bytes) {
    std::array<std::array<uint32_t, 256>, 4> counts{};  // equal bytes in a row would wait for each other
    std::size_t k = 0;
    for (; k + 8 <= bytes.size(); k += 8) {
        uint64_t word = 0;
        std::memcpy(&word, bytes.data() + k, sizeof word);
        for (unsigned byte = 0; byte < 8; ++byte) ++counts[byte % 4][word >> (8 * byte) & 0xFF];
    }
    for (; k < bytes.size(); ++k) ++counts[0][bytes[k]];
    std::array<uint32_t, kMostSymbols> sums{};
    for (std::size_t value = 0; value < 256; ++value)
        sums[value] = counts[0][value] + counts[1][value] + counts[2][value] + counts[3][value];
    sums[kEnd] = 1;
    return sums;
}

// Some codes one behind the other, and in the lowest six bits how many bits they have: shifts take no others into account.
using JoinedCodes = uint64_t;
constexpr unsigned kLengthBits = 6;

unsigned length_of(JoinedCodes bits) { return static_cast<unsigned>(bits & ((1U << kLengthBits) - 1)); }

// The codes alone.
uint64_t codes_in(JoinedCodes bits) { return bits >> kLengthBits; }

std::array<JoinedCodes, kMostSymbols> all_codes(const std::array<uint8_t, kMostSymbols>& lengths) {
    std::array<uint16_t, kMostSymbols> codes{};
    codes_of(lengths, codes);
    std::array<JoinedCodes, kMostSymbols> all{};
    for (std::size_t k = 0; k < kMostSymbols; ++k) all[k] = JoinedCodes{codes[k]} << kLengthBits | lengths[k];
    return all;
}

}  // namespace

LiteralBlock::LiteralBlock(Bytes bytes) : bytes_(bytes) {
    const std::array<uint32_t, kMostSymbols> counts = counts_of(bytes);
    code_lengths(counts, kMostBits, lengths_);
    for (std::size_t symbol = 0; symbol < kMostSymbols; ++symbol)
        bits_ += std::size_t{counts[symbol]} * lengths_[symbol];
    encode_lengths();
}

void LiteralBlock::add_length_symbol(std::size_t symbol, std::size_t more_bits, std::size_t more) {
    length_symbols_[n_length_symbols_++] = {static_cast<uint8_t>(symbol), static_cast<uint8_t>(more_bits),
                                            static_cast<uint8_t>(more)};
}

void LiteralBlock::encode_lengths() {
    std::array<uint8_t, kMostSymbols + kDistances> all{};
    std::copy(lengths_.begin(), lengths_.end(), all.begin());
    std::fill(all.begin() + kMostSymbols, all.end(), uint8_t{1});
    for (std::size_t k = 0; k < all.size();) {
        std::size_t n = 1;
        while (k + n < all.size() && all[k + n] == all[k]) ++n;
        if (all[k] == 0 && n >= 3) {
            n = std::min<std::size_t>(n, 138);
            if (n < 11) add_length_symbol(kSomeZeros, 3, n - 3);
            else add_length_symbol(kManyZeros, 7, n - 11);
        } else if (n >= 4) {
            n = std::min<std::size_t>(n, 7);
            add_length_symbol(all[k], 0, 0);
            add_length_symbol(kAgain, 2, n - 4);
        } else {
            n = 1;
            add_length_symbol(all[k], 0, 0);
        }
        k += n;
    }
    std::array<uint32_t, 19> counts{};
    for (const LengthSymbol& symbol : length_symbols()) ++counts[symbol.symbol];
    code_lengths(counts, kMostBitsOfLengths, symbol_lengths_);
    for (std::size_t k = 0; k < kOrder.size(); ++k)
        if (symbol_lengths_[kOrder[k]] != 0) n_symbol_lengths_ = std::max(n_symbol_lengths_, k + 1);
    bits_ += 3 + 5 + 5 + 4 + 3 * n_symbol_lengths_;
    for (const LengthSymbol& symbol : length_symbols())
        bits_ += symbol_lengths_[symbol.symbol] + std::size_t{symbol.more_bits};
}

void LiteralBlock::write_head(BitPlace& place) const {
    place.put(kOwnCodes << 1, 3);
    place.put(kMostSymbols - 257, 5);
    place.put(kDistances - 1, 5);
    place.put(n_symbol_lengths_ - 4, 4);
    for (std::size_t k = 0; k < n_symbol_lengths_; ++k) place.put(symbol_lengths_[kOrder[k]], 3);
    std::array<uint16_t, 19> symbol_codes{};
    codes_of(symbol_lengths_, symbol_codes);
    for (const LengthSymbol& symbol : length_symbols()) {
        const unsigned n = symbol_lengths_[symbol.symbol];
        place.put(symbol_codes[symbol.symbol] | uint64_t{symbol.more} << n, n + symbol.more_bits);
    }
}

void LiteralBlock::write(BitWriter& out) const {
    out.write(bits_, [this](BitPlace& end) {
        write_head(end);
        const std::array<JoinedCodes, kMostSymbols> codes = all_codes(lengths_);
        const auto code_of = [&codes](uint32_t bytes) { return codes[bytes & 0xFF]; };
        BitPlace place = end;
        std::size_t k = 0;
        for (; k + 4 <= bytes_.size(); k += 4) {
            uint32_t four = 0;
            std::memcpy(&four, bytes_.data() + k, sizeof four);
            const JoinedCodes a = code_of(four), b = code_of(four >> 8), c = code_of(four >> 16),
                              d = code_of(four >> 24);
            const uint64_t ab = codes_in(a) | codes_in(b) << length_of(a), cd = codes_in(c) | codes_in(d)
                                                                                                  << length_of(c);
            // Lengths are added to lengths, and codes are not looked at.
            place.put(ab | cd << length_of(a + b), length_of(a + b + c + d));
        }
        for (; k < bytes_.size(); ++k) place.put(codes_in(code_of(bytes_[k])), length_of(code_of(bytes_[k])));
        place.put(codes_in(codes[kEnd]), length_of(codes[kEnd]));
        end = place;
    });
}

void write_stored(Bytes bytes, BitWriter& out) {
    std::size_t first = 0;
    do {
        const std::size_t n = std::min(bytes.size() - first, kMostStored);
        out.write(3, [](BitPlace& place) { place.put(kStored << 1, 3); });
        const auto low = static_cast<uint8_t>(n & 0xFF), high = static_cast<uint8_t>(n >> 8);
        const std::array<uint8_t, 4> head = {low, high, static_cast<uint8_t>(~low), static_cast<uint8_t>(~high)};
        out.write_bytes(head);
        out.write_bytes(bytes.subspan(first, n));
        first += n;
    } while (first < bytes.size());
}

void write_literals(Bytes bytes, BitWriter& out) {
    const LiteralBlock block(bytes);
    if (block.bits() < 8 * bytes.size()) block.write(out);
    else if (!bytes.empty()) write_stored(bytes, out);
}

void end_with_byte(BitWriter& out) {
    if (!out.is_at_byte()) write_stored({}, out);
}

}  // namespace tilescope
