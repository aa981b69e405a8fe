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
// have the same stats in the same order: one that begins as that of an event before is passed over without a further look.
class NumberStat {
  public:
    // So many bytes behind an event are looked at.
    static constexpr std::ptrdiff_t kBehind = 16;

    explicit NumberStat(std::int64_t id) : id_(id) {
        for (std::size_t k = 0; k < forms_.size(); ++k) forms_[k] = form_of(varint_field(k == 0 ? 3 : 4));
    }

    // The last number of the stat in arguments that lie before `end` and are not empty; those of 0 do not count. False: they
    // are not like that, and the number is any.
    bool read(const std::uint8_t* p, const std::uint8_t* end, std::uint64_t& number) {
        std::uint64_t bits = 0;
        p = wire::readable_varint(p, bits);
        for (std::size_t place = 0; p != nullptr && p < end; ++place) {
            const std::uint64_t head = eight_bytes(p);
            const bool is_wide = (head >> 31 & 1) != 0;  // an id of two bytes
            const std::uint64_t form = head & (is_wide ? kWideForm : kForm);
            const std::uint8_t* const value = p + (is_wide ? 6 : 5);
            const std::size_t size = head >> 8 & 0xff;
            const std::uint8_t* const stop = p + 2 + size;
            if (size >= 0x80 || stop > end) return false;
            if (form == forms_[0] || form == forms_[1]) {
                if (wire::readable_varint(value, bits) != stop) return false;
                if (bits != 0) number = bits;
            } else {
                std::uint64_t& seen = seen_[place % seen_.size()];
                if (form != seen && !is_number_of_others(form, is_wide)) return false;
                seen = form;
                if (!wire::begins_with_varint(eight_bytes(value), static_cast<std::size_t>(stop - value))) return false;
            }
            p = stop;
        }
        return p == end;
    }

  private:
    // All before the value but the size.
    static constexpr std::uint64_t kForm = 0x00'00'00'ff'ff'ff'00'ffU;
    static constexpr std::uint64_t kWideForm = 0x00'00'ff'ff'ff'ff'00'ffU;
    static constexpr std::uint64_t kBegin = bytes_field(4) | std::uint64_t{varint_field(1)} << 16;
    static constexpr std::int64_t kNarrowIds = 0x80, kWideIds = 0x4000;

    // 0, which nothing has: of ids of three bytes and more.
    std::uint64_t form_of(std::uint64_t tag) const {
        const auto id = static_cast<std::uint64_t>(id_);
        if (id_ >= 0 && id_ < kNarrowIds) return kBegin | id << 24 | tag << 32;
        if (id_ < 0 || id_ >= kWideIds) return 0;
        return kBegin | ((id & 0x7f) | 0x80) << 24 | (id >> 7) << 32 | tag << 40;
    }

    bool is_number_of_others(std::uint64_t form, bool is_wide) const {
        constexpr std::uint64_t numbers =
            1ULL << varint_field(3) | 1ULL << varint_field(4) | 1ULL << varint_field(7);
        const std::uint64_t tag = form >> (is_wide ? 40 : 32);
        if ((form & 0xff'00'ff) != kBegin || tag >= 64 || (numbers >> tag & 1) == 0) return false;
        const std::uint64_t last = form >> 32 & 0xff;
        if (is_wide && last >= 0x80) return false;
        const std::uint64_t id = (form >> 24 & 0x7f) | (is_wide ? last << 7 : 0);
        return id != static_cast<std::uint64_t>(id_);
    }

    std::int64_t id_;
    std::array<std::uint64_t, 2> forms_{};  // of the stat: as a number without a sign, and with one
    std::array<std::uint64_t, 8> seen_{};  // by the place among the stats of an event; 0: none
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
                              stat.read(data, data + size, quick);
        const std::int64_t number = is_quick ? static_cast<std::int64_t>(quick) : integer_stat({data, size}, ids, 0);
        keys.push_unchecked(number > 0 && number < kNumbers ? -2 - (2 * number + (is_on_device ? 1 : 0)) : -1);
        begin = end;
    }
    return keys;
}

}  // namespace tilescope::xspace
