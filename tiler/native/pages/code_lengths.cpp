#include "pages/code_lengths.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace tilescope {

namespace {

constexpr unsigned kMostBits = 15;  // of a code of deflate

struct CodeLeaf {
    uint32_t count;
    uint32_t symbol;
};

using CodeLeaves = std::array<CodeLeaf, kMostSymbols>;

// So few are put in their place one by one: there are more digits than leaves.
constexpr std::size_t kFewLeaves = 24;

// By how often they occur, a digit at a time: with few leaves and small numbers, a third of the time of std::sort.
void sort(CodeLeaves& leaves, std::size_t n) {
    if (n <= kFewLeaves) {
        for (std::size_t k = 1; k < n; ++k) {
            const CodeLeaf leaf = leaves[k];
            std::size_t position = k;
            for (; position > 0 && leaves[position - 1].count > leaf.count; --position)
                leaves[position] = leaves[position - 1];
            leaves[position] = leaf;
        }
        return;
    }
    uint32_t all = 0;
    for (std::size_t k = 0; k < n; ++k) all |= leaves[k].count;
    CodeLeaves sorted{};
    for (unsigned shift = 0; shift < 32 && all >> shift != 0; shift += 8) {
        std::array<uint16_t, 257> place{};
        for (std::size_t k = 0; k < n; ++k) ++place[(leaves[k].count >> shift & 0xFF) + 1];
        for (std::size_t digit = 1; digit < 256; ++digit)
            place[digit] = static_cast<uint16_t>(place[digit] + place[digit - 1]);
        for (std::size_t k = 0; k < n; ++k) sorted[place[leaves[k].count >> shift & 0xFF]++] = leaves[k];
        std::copy_n(sorted.begin(), n, leaves.begin());
    }
}

// Numbers of leaves at each depth of the tree, from 1 on; deeper ones count as the deepest.
using LeavesByDepth = std::array<uint32_t, kMostBits + 1>;

LeavesByDepth depths_of(const CodeLeaves& leaves, std::size_t n, unsigned most) {
    // Inner nodes come into being in the order of their sums: the two least ones are first among leaves, or among nodes.
    std::array<uint64_t, kMostSymbols> sums{};
    std::array<uint16_t, kMostSymbols> node_above_leaf{}, node_above{};
    std::size_t leaf = 0, node = 0;
    for (std::size_t made = 0; made + 1 < n; ++made) {
        uint64_t sum = 0;
        for (int child = 0; child < 2; ++child) {
            if (node == made || (leaf < n && leaves[leaf].count <= sums[node])) {
                sum += leaves[leaf].count;
                node_above_leaf[leaf++] = static_cast<uint16_t>(made);
            } else {
                sum += sums[node];
                node_above[node++] = static_cast<uint16_t>(made);
            }
        }
        sums[made] = sum;
    }
    std::array<uint16_t, kMostSymbols> depth{};
    depth[n - 2] = 0;
    for (std::size_t k = n - 2; k-- > 0;) depth[k] = static_cast<uint16_t>(depth[node_above[k]] + 1);
    LeavesByDepth depths{};
    for (std::size_t k = 0; k < n; ++k) ++depths[std::min<unsigned>(depth[node_above_leaf[k]] + 1U, most)];
    return depths;
}

// CodeLeaves that were lifted take room of others: as zlib does it, one of those goes down with one of the deepest beside it.
void make_room(LeavesByDepth& depths, unsigned most) {
    uint32_t taken = 0;  // in codes of the deepest
    for (unsigned bits = 1; bits <= most; ++bits) taken += depths[bits] << (most - bits);
    for (; taken > 1U << most; --taken) {
        unsigned bits = most - 1;
        while (depths[bits] == 0) --bits;
        --depths[bits];
        depths[bits + 1] += 2;
        --depths[most];
    }
}

constexpr std::array<uint8_t, 256> reversed_bytes() {
    std::array<uint8_t, 256> all{};
    for (unsigned byte = 0; byte < 256; ++byte)
        for (unsigned bit = 0; bit < 8; ++bit)
            all[byte] = static_cast<uint8_t>(all[byte] | (byte >> bit & 1) << (7 - bit));
    return all;
}

constexpr std::array<uint8_t, 256> kReversed = reversed_bytes();

uint16_t reversed(uint32_t code, unsigned bits) {
    const uint32_t all = uint32_t{kReversed[code & 0xFF]} << 8 | kReversed[code >> 8 & 0xFF];
    return static_cast<uint16_t>(all >> (16 - bits));
}

}  // namespace

void code_lengths(Span<const uint32_t> counts, unsigned most, Span<uint8_t> lengths) {
    const std::size_t symbols = same_size(counts, lengths);
    if (symbols < 2 || symbols > kMostSymbols || most > kMostBits || symbols > std::size_t{1} << most)
        throw std::invalid_argument("a code of no, or of too many, symbols");
    CodeLeaves leaves{};
    std::size_t n = 0;
    for (std::size_t symbol = 0; symbol < symbols; ++symbol) {
        lengths[symbol] = 0;
        leaves[n] = {counts[symbol], static_cast<uint32_t>(symbol)};
        n += static_cast<std::size_t>(counts[symbol] != 0);
        if (n == kMostSymbols) break;  // it was the last one
    }
    for (uint32_t symbol = 0; n < 2; ++symbol)
        if (n == 0 || leaves[0].symbol != symbol) leaves[n++] = {1, symbol};
    sort(leaves, n);
    LeavesByDepth depths = depths_of(leaves, n, most);
    make_room(depths, most);
    std::size_t leaf = 0;
    for (unsigned bits = most; bits > 0; --bits)
        for (uint32_t k = 0; k < depths[bits]; ++k) lengths[leaves[leaf++].symbol] = static_cast<uint8_t>(bits);
}

void codes_of(Span<const uint8_t> lengths, Span<uint16_t> codes) {
    const std::size_t symbols = same_size(lengths, codes);
    std::array<uint32_t, kMostBits + 1> of_length{}, next{};
    for (const uint8_t bits : lengths)
        if (bits != 0) ++of_length.at(bits);  // most have none, and would wait for each other
    for (unsigned bits = 1; bits <= kMostBits; ++bits) next[bits] = (next[bits - 1] + of_length[bits - 1]) << 1;
    for (std::size_t k = 0; k < symbols; ++k) {
        const unsigned bits = lengths[k];
        codes[k] = bits == 0 ? uint16_t{0} : reversed(next[bits]++, bits);
    }
}

}  // namespace tilescope
