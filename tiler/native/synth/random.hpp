// Deterministic random numbers: the same seed gives the same trace on every machine and with every standard library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilescope::synth {

// The finaliser of SplitMix64: every bit of the input changes every bit of the output.
inline std::uint64_t scramble(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

// A number that depends on its arguments alone, so that two places which need it need not share state.
inline std::uint64_t noise(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0) {
    return scramble(scramble(scramble(seed) ^ a) ^ b);
}

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() { return scramble(state_++); }

    // Uniform in [0, bound), with a bias below 2**-32 for the small bounds that are used here.
    std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : next() % bound; }

    std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }

    bool chance(unsigned percent) { return below(100) < percent; }

  private:
    std::uint64_t state_;
};

// a * b / c without overflow in between, rounded down.
inline std::uint64_t scale(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b / c);
}

// Share k of n things that are dealt out evenly to `shares`: sizes differ by at most 1 and add up to n.
inline std::uint64_t share(std::uint64_t n, std::uint64_t shares, std::uint64_t k) {
    return scale(n, k + 1, shares) - scale(n, k, shares);
}

}  // namespace tilescope::synth
