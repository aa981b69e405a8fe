#include "pages/plane_coding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "pages/container_reader.hpp"

namespace tilescope {

namespace {

// Pieces of a plane that are looked at, evenly spread.
constexpr std::size_t kPieces = 16, kPiece = 64, kSeen = kPieces * kPiece;

// A block of its own costs some fifty bytes, and some microseconds.
constexpr std::size_t kLeast = kSeen;

// Bits of a byte that has eight, by how often each value occurs in the pieces (of random bytes 7.8): with more, bytes stay as
// they are. Pages of exact times then take 2 % less room than where one code stands for all columns, and are inflated in less
// than half the time (2026-11-23).
constexpr double kMostBits = 6.6;

// With fewer bits, which no literal can have, references are shorter.
constexpr double kFewestBits = 0.4;

// The most bytes of pieces that may be like the one before: more of them stand in runs, which references shorten most.
// A plane of fewer bits than the fewest has about as many.
constexpr std::size_t kMostEqual = kSeen - kSeen / 32;

// Beside those that are so by chance, so many bytes may be like the one before; fewer of those that have a bit at most, as codes
// are longer than their bits then. With more, isal's references took less room in the planes of a synthetic trace (2026-11-25).
constexpr double kMostInRuns = 0.2, kMostInRunsOfABit = 0.1;

// One in so many of the words that are compared may be a repetition.
constexpr std::size_t kFewRepeated = 6;

// The bits that a reference to bytes before takes, with what it does to the code of others. Words are as long as as
// many bits: repetitions of shorter ones save nothing.
constexpr double kReferenceBits = 20;
constexpr std::size_t kShortestWord = 4, kLongestWord = 32;

// So many words are compared, or more, if a byte occurs as often.
constexpr std::size_t kFewWords = 64;

// n * log2(n) of how often a value may occur in the pieces, in parts of a bit: they are added up as integers.
constexpr double kParts = 1 << 16;

const std::array<uint32_t, kSeen + 1>& weighted_bits() {
    static const std::array<uint32_t, kSeen + 1> table = [] {
        std::array<uint32_t, kSeen + 1> bits{};
        for (std::size_t n = 1; n < bits.size(); ++n)
            bits[n] = static_cast<uint32_t>(kParts * static_cast<double>(n) * std::log2(static_cast<double>(n)));
        return bits;
    }();
    return table;
}

// The pieces of a plane that has as many bytes at least.
class PlanePieces {
  public:
    explicit PlanePieces(Bytes bytes) : bytes_(bytes) {
        for_each([this](const uint8_t* piece) {
            uint8_t equal = 0, any = piece[0];  // bytes, of which sixteen are worked on at a time
            for (std::size_t k = 1; k < kPiece; ++k) {
                equal = static_cast<uint8_t>(equal + (piece[k] == piece[k - 1]));
                any = static_cast<uint8_t>(any | piece[k]);
            }
            equal_ += equal;
            any_ = static_cast<uint8_t>(any_ | any);
        });
    }

    // Number of bytes that are like the one before. It decides most planes, and it takes a tenth of the time of the
    // others: equal bytes are counted one after the other.
    std::size_t equal() const { return equal_; }

    void count() {
        std::array<std::array<uint16_t, 256>, 4> counts{};  // four, as equal bytes in a row would wait for each other
        for_each([&counts](const uint8_t* piece) {
            for (std::size_t k = 0; k < kPiece; k += 8) {
                uint64_t word = 0;
                std::memcpy(&word, piece + k, sizeof word);
                for (unsigned byte = 0; byte < 8; ++byte) ++counts[byte % 4][word >> (8 * byte) & 0xFF];
            }
        });
        for (std::size_t value = 0; value < 256; ++value)
            counts_[value] =
                static_cast<uint16_t>(counts[0][value] + counts[1][value] + counts[2][value] + counts[3][value]);
    }

    // Once they are counted: how many bits a byte has.
    double bits() const {
        const std::array<uint32_t, kSeen + 1>& bits_of = weighted_bits();
        uint32_t bits = bits_of[kSeen];  // as many as the others have together, at most
        for (std::size_t value = 0, n = values(); value < n; ++value) bits -= bits_of[counts_[value]];
        return bits / (kParts * kSeen);
    }

    // The part of the bytes that would be like the one before by chance.
    double equal_by_chance() const {
        uint32_t equal = 0;
        for (const uint32_t n : counts_) equal += n * n;
        return equal / double{kSeen * kSeen};
    }

    // The value that occurs about so often, but not much less; or else the most frequent one.
    uint8_t value_with(std::size_t n) const {
        uint32_t least = UINT32_MAX;  // how far off, and the value
        for (uint32_t value = 0, n_values = static_cast<uint32_t>(values()); value < n_values; ++value) {
            const uint32_t count = counts_[value], wanted = static_cast<uint32_t>(n);
            const uint32_t less = count > wanted / 2 ? wanted - count : uint32_t{kSeen} - count;
            const uint32_t off = count > wanted ? count - wanted : less;
            const uint32_t both = off << 8 | value;
            least = both < least ? both : least;
        }
        return static_cast<uint8_t>(least);
    }

    // The number of bytes of the plane that probably have that value.
    std::size_t count_of(uint8_t value) const { return counts_[value] * (bytes_.size() / kSeen); }

  private:
    // All are smaller.
    std::size_t values() const {
        std::size_t n = 4;
        while (n <= any_) n *= 2;
        return n;
    }

    template <typename Call>
    void for_each(const Call& call) const {
        const std::size_t step = bytes_.size() / kPieces;
        for (std::size_t k = 0; k < kPieces; ++k) call(bytes_.subspan(k * step, kPiece).data());
    }

    Bytes bytes_;
    std::size_t equal_ = 0;
    uint8_t any_ = 0;  // all bits that occur
    std::array<uint16_t, 256> counts_{};
};

// Every bit of it depends on all bytes of the word. There are as many bytes as the longest word has.
uint32_t hash_of(const uint8_t* p, std::size_t bytes) {
    uint64_t hash = 0;
    const auto add = [&hash](uint64_t eight) {
        hash = (hash ^ eight) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 32;
    };
    uint64_t eight = 0;
    for (; bytes > sizeof eight; bytes -= sizeof eight, p += sizeof eight) {
        std::memcpy(&eight, p, sizeof eight);
        add(eight);
    }
    std::memcpy(&eight, p, sizeof eight);
    add(eight << (64 - 8 * bytes));
    add(0);
    return static_cast<uint32_t>(hash >> 32);
}

// Words that begin with that byte stand for all others: a repetition has them again. There are about `n`: of many, some are chosen by what they
// are, so that there are places for all between a word and its repetition.
bool has_repetitions(Bytes bytes, uint8_t begin, std::size_t n, std::size_t word_bytes) {
    std::array<uint32_t, 1024> last{};
    uint32_t left_out = 0;
    while (n > last.size() / 2 * (left_out + 1)) left_out = 2 * left_out + 1;
    std::size_t chosen = 0, repeated = 0;
    const uint8_t* p = bytes.begin();
    const uint8_t* const stop = bytes.end() - kLongestWord;
    while ((p = static_cast<const uint8_t*>(std::memchr(p, begin, static_cast<std::size_t>(stop - p)))) != nullptr) {
        const uint32_t word = hash_of(p++, word_bytes);
        if ((word & left_out) != 0) continue;
        uint32_t& place = last[word >> 22];
        ++chosen;
        repeated += static_cast<std::size_t>(place == word);
        place = word;
    }
    // Few words that come again and again may all be left out.
    if (left_out != 0 && chosen < n / (left_out + 1) / 8) return true;
    return repeated * kFewRepeated > chosen;
}

// None if references may shorten it.
std::optional<Coding> coding_of(Bytes bytes) {
    PlanePieces pieces(bytes);
    if (pieces.equal() > kMostEqual) return std::nullopt;
    pieces.count();
    const double bits = pieces.bits();
    if (bits < kFewestBits) return std::nullopt;
    const double equal = static_cast<double>(pieces.equal()) / (kSeen - kPieces), chance = pieces.equal_by_chance();
    if (equal > chance + (bits < 1 ? kMostInRunsOfABit : kMostInRuns) * (1 - chance)) return std::nullopt;
    const auto word = std::clamp(static_cast<std::size_t>(kReferenceBits / bits) + 1, kShortestWord, kLongestWord);
    const std::size_t often = std::clamp(kFewWords * kSeen / bytes.size(), kSeen / 128, kSeen / 16);
    const uint8_t begin = pieces.value_with(often);
    if (has_repetitions(bytes, begin, pieces.count_of(begin), word)) return std::nullopt;
    return bits < kMostBits ? Coding::literals : Coding::as_it_is;
}

}  // namespace

std::vector<CodedRange> planes_without_matches(Bytes container, std::size_t max_rows) {
    std::vector<CodedRange> ranges;
    const ContainerReader reader(container, max_rows);
    for (const ContainerReader::Column& column : reader.columns()) {
        if (column.n < kLeast) continue;
        for (std::size_t plane = 0; plane < column.planes; ++plane) {
            const Bytes bytes = column.values.subspan(plane * column.n, column.n);
            const std::optional<Coding> coding = coding_of(bytes);
            if (!coding) continue;
            const auto first = static_cast<std::size_t>(bytes.begin() - container.begin());
            const auto last = first + bytes.size();
            if (*coding == Coding::as_it_is && !ranges.empty() && ranges.back().last == first &&
                ranges.back().coding == Coding::as_it_is)
                ranges.back().last = last;
            else ranges.push_back({first, last, *coding});
        }
    }
    return ranges;
}

}  // namespace tilescope
