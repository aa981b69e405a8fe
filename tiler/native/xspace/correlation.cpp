#include "xspace/correlation.hpp"

#include <array>
#include <stdexcept>

#include "xspace/args.hpp"

namespace tilescope::xspace {

using wire::bytes_field;
using wire::eight_bytes;
using wire::varint_field;

namespace {

// Numbers of 2**61 and more are none: keys have a bit for the side, and a sign.
constexpr std::int64_t kNumbers = std::int64_t{1} << 61;

// Reads one stat of events whose stats are numbers in messages of an id and a value, as nearly all are. Most events of a track
// have the same stats in the same order: where all but the values are as in an event before, the number stands at its place.
class NumberStat {
  public:
    // So many bytes behind an event are looked at.
    static constexpr std::ptrdiff_t kBehind = 16;

    explicit NumberStat(std::int64_t id) : id_(static_cast<std::uint64_t>(id)) {}

    // The last number of the stat in arguments of this size, which are not empty; those of 0 do not count. False: they are not
    // like that, and the number is any.
    bool read(const std::uint8_t* args, std::size_t size, std::uint64_t& number) {
        number = 0;
        if (size > kMostBytes) return walk(args, size, nullptr, number);
        Form& form = forms_[(2 * size + (args[0] >> 7)) % forms_.size()];
        if (form.size != size || !form.is_that_of(args)) return walk(args, size, &form, number);
        if (form.number_at != 0) wire::readable_varint(args + form.number_at, number);
        return true;
    }

  private:
    static constexpr std::size_t kWord = sizeof(std::uint64_t), kMostBytes = 16 * kWord;

    // Where the bytes of arguments are all before the values, and how long these are: the highest bit of each byte says.
    struct Form {
        std::size_t size = 0;  // 0: none
        std::size_t number_at = 0;  // 0: the stat is not there
        std::array<std::uint64_t, kMostBytes / kWord> mask{}, expected{};

        bool is_that_of(const std::uint8_t* args) const {
            std::uint64_t differing = 0;
            for (std::size_t k = 0; k * kWord < size; ++k)
                differing |= (eight_bytes(args + k * kWord) & mask[k]) ^ expected[k];
            return differing == 0;
        }
        void expect(std::size_t first, std::size_t stop, std::uint64_t bits) {
            for (std::size_t k = first; k < stop; ++k) mask[k / kWord] |= bits << 8 * (k % kWord);
        }
    };

    // Takes stats one after the other, and keeps the form where there is one stat of the number at most.
    bool walk(const std::uint8_t* args, std::size_t size, Form* form, std::uint64_t& number) const {
        const std::uint8_t* const end = args + size;
        std::uint64_t bits = 0;
        const std::uint8_t* p = wire::readable_varint(args, bits);
        Form made;
        std::size_t numbers = 0;
        while (p != nullptr && p < end) {
            const std::uint64_t head = eight_bytes(p);
            const bool is_wide = (head >> 31 & 1) != 0;  // an id of two bytes
            const std::uint8_t* const value = p + (is_wide ? 6 : 5);
            const std::size_t stat_size = head >> 8 & 0xff;
            const std::uint8_t* const stop = p + 2 + stat_size;
            const std::uint64_t tag = head >> (is_wide ? 40 : 32) & 0xff;
            const std::uint64_t last = head >> 32 & 0xff;
            const bool is_number = tag == varint_field(3) || tag == varint_field(4);
            if ((head & 0xff'00'ff) != kBegin || stat_size >= 0x80 || stop > end || (is_wide && last >= 0x80) ||
                !(is_number || tag == varint_field(7)) || wire::readable_varint(value, bits) != stop)
                return false;
            if (is_number && ((head >> 24 & 0x7f) | (is_wide ? last << 7 : 0)) == id_) {
                ++numbers;
                made.number_at = static_cast<std::size_t>(value - args);
                if (bits != 0) number = bits;
            }
            if (form != nullptr)
                made.expect(static_cast<std::size_t>(p - args), static_cast<std::size_t>(value - args), 0xff);
            p = stop;
        }
        if (p != end) return false;
        if (form != nullptr && numbers < 2) {
            made.size = size;
            made.expect(0, size, 0x80);
            for (std::size_t k = 0; k * kWord < size; ++k) made.expected[k] = eight_bytes(args + k * kWord) & made.mask[k];
            *form = made;
        }
        return true;
    }

    static constexpr std::uint64_t kBegin = bytes_field(4) | std::uint64_t{varint_field(1)} << 16;

    std::uint64_t id_;
    std::array<Form, 32> forms_{};  // by size
};

}  // namespace

Column<std::int64_t> correlation_keys(Span<const std::int64_t> ends, const wire::Source& args, std::size_t first,
                                      std::size_t stop, const std::vector<std::int64_t>& ids, bool is_on_device) {
    if (first > stop || stop > ends.size()) throw std::invalid_argument("there are no such events");
    Column<std::int64_t> keys;
    keys.ensure(stop - first);
    const std::uint8_t* const args_end = args.data() + args.size();
    std::int64_t begin = first == 0 ? 0 : ends[first - 1];
    if (begin < 0) throw std::invalid_argument("arguments lie beyond the data");
    NumberStat stat(ids.size() == 1 ? ids.front() : 0);
    for (const std::int64_t end : ends.subspan(first, stop - first)) {
        if (end < begin || static_cast<std::uint64_t>(end) > args.size())
            throw std::invalid_argument("arguments lie beyond the data");
        const std::uint8_t* const data = args.data() + begin;
        const auto size = static_cast<std::size_t>(end - begin);
        std::uint64_t quick = 0;
        const bool is_quick = ids.size() == 1 && size != 0 && args_end - (data + size) >= NumberStat::kBehind &&
                              stat.read(data, size, quick);
        const std::int64_t number = is_quick ? static_cast<std::int64_t>(quick) : integer_stat({data, size}, ids, 0);
        keys.push_unchecked(number > 0 && number < kNumbers ? -2 - (2 * number + (is_on_device ? 1 : 0)) : -1);
        begin = end;
    }
    return keys;
}

}  // namespace tilescope::xspace
