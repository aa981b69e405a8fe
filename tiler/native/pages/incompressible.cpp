#include "pages/incompressible.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "pages/container_reader.hpp"

namespace tilescope {

namespace {

// A block of its own costs some twenty bytes, and some microseconds.
constexpr std::size_t kLeast = 1024;

// Pieces of a plane that are looked at, evenly spread.
constexpr std::size_t kPieces = 16, kPiece = 64;

// Bits of a byte that has eight, by how often each value occurs in the pieces (of random bytes 7.8): with more, bytes stay as
// they are. Pages of exact times then take 2 % less room than where one code stands for all columns, and are inflated in less
// than half the time (2026-11-23).
constexpr double kMostBits = 6.6;

// One in so many bytes may be like the one before: with more, a byte in no order has 5 bits at most.
constexpr std::size_t kFewEqual = 4;

// Of words that are compared, one in so many may be a repetition.
constexpr std::size_t kFewRepeated = 8;

// n * log2(n) of how often a value may occur in the pieces.
const std::vector<double>& weighted_bits() {
    static const std::vector<double> known = [] {
        std::vector<double> bits(kPieces * kPiece + 1);
        for (std::size_t n = 1; n < bits.size(); ++n)
            bits[n] = static_cast<double>(n) * std::log2(static_cast<double>(n));
        return bits;
    }();
    return known;
}

// Calls with each of the pieces; returns how many bytes they have.
template <typename Call>
std::size_t for_each_piece(Bytes bytes, const Call& call) {
    const std::size_t step = std::max(bytes.size() / kPieces, kPiece);
    std::size_t seen = 0;
    for (std::size_t first = 0; first + kPiece <= bytes.size() && seen < kPieces * kPiece; first += step) {
        call(bytes.subspan(first, kPiece).data());
        seen += kPiece;
    }
    return seen;
}

// Of bytes that have so many bits, fewer are like the one before. Most planes are told by that, and it takes a tenth of the time:
// equal bytes are counted one after the other.
bool has_runs(Bytes bytes) {
    std::size_t equal = 0;
    const std::size_t seen = for_each_piece(bytes, [&](const uint8_t* piece) {
        uint8_t of_piece = 0;
        for (std::size_t k = 1; k < kPiece; ++k) of_piece = static_cast<uint8_t>(of_piece + (piece[k] == piece[k - 1]));
        equal += of_piece;
    });
    return equal > seen / kFewEqual;
}

bool has_few_bits(Bytes bytes) {
    std::array<std::array<uint16_t, 256>, 2> counts{};  // two, as equal bytes in a row would wait for each other
    const std::size_t seen = for_each_piece(bytes, [&](const uint8_t* piece) {
        for (std::size_t k = 0; k < kPiece; k += 2) {
            ++counts[0][piece[k]];
            ++counts[1][piece[k + 1]];
        }
    });
    const std::vector<double>& bits_of = weighted_bits();
    std::array<double, 4> sums{};
    for (std::size_t value = 0; value < 256; ++value) {
        sums[value % 4] += bits_of[std::size_t{counts[0][value]} + counts[1][value]];
    }
    const double bits = bits_of[seen] - sums[0] - sums[1] - sums[2] - sums[3];
    return bits < kMostBits * static_cast<double>(seen);
}

// Words that begin with one of two bytes stand for all others: a repetition has them again.
bool has_repetitions(Bytes bytes) {
    constexpr uint32_t kPlaces = 1024;
    std::array<uint32_t, kPlaces> last{};
    std::size_t chosen = 0, repeated = 0;
    const uint8_t one = bytes[bytes.size() / 3], two = bytes[bytes.size() / 2];
    for (const uint8_t begin : {one, two == one ? static_cast<uint8_t>(~one) : two}) {
        const uint8_t* at = bytes.begin();
        const uint8_t* const stop = bytes.end() - sizeof(uint32_t);
        while ((at = static_cast<const uint8_t*>(std::memchr(at, begin, static_cast<std::size_t>(stop - at)))) !=
               nullptr) {
            uint32_t word = 0;
            std::memcpy(&word, at++, sizeof word);
            uint32_t& place = last[word * 2654435761U >> 22];
            ++chosen;
            repeated += static_cast<std::size_t>(place == word);
            place = word;
        }
    }
    return repeated * kFewRepeated > chosen;
}

}  // namespace

std::vector<ByteRange> incompressible(Bytes container, std::size_t max_rows) {
    std::vector<ByteRange> found;
    const ContainerReader reader(container, max_rows);
    for (const ContainerReader::Column& column : reader.columns()) {
        if (column.n < kLeast) continue;
        bool is_random = false;
        for (std::size_t plane = 0; plane < column.planes; ++plane) {
            const Bytes bytes = column.values.subspan(plane * column.n, column.n);
            const bool was_random = is_random;
            is_random = !has_runs(bytes) && !has_few_bits(bytes) && !has_repetitions(bytes);
            if (was_random && !is_random) break;  // higher bytes have fewer bits yet
            if (!is_random) continue;
            const auto first = static_cast<std::size_t>(bytes.begin() - container.begin());
            if (!found.empty() && found.back().last == first) found.back().last += bytes.size();
            else found.push_back({first, first + bytes.size()});
        }
    }
    return found;
}

}  // namespace tilescope
