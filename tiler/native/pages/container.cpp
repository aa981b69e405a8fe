#include "pages/container.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "base/bit_length.hpp"
#include "base/byte_planes.hpp"

namespace tilescope {

namespace {

constexpr uint8_t kDelta = 1;
constexpr uint8_t kZigzag = 2;
constexpr uint8_t kFloat64 = 4;

template <typename T>
void append(std::string& out, T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));  // little-endian hosts only: checked when the module is built
    out.append(bytes, sizeof(T));
}

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the container is written with the byte order of the host");

template <typename T>
uint64_t divisor_of(const std::vector<T>& values) {
    uint64_t scale = 0;
    for (const T value : values) {
        if (value == 0) continue;
        const auto size = static_cast<uint64_t>(value);
        if (scale == 0 || size % scale != 0) scale = std::gcd(scale, size);
        if (scale == 1) return 1;
    }
    return scale == 0 ? 1 : scale;
}

uint64_t zigzag(int64_t value) { return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63); }

template <typename T>
struct ValueRange {
    T least;
    T most;
};

template <typename T>
ValueRange<T> range_of(Span<const T> values) {
    ValueRange<T> range{values[0], values[0]};
    for (const T value : values) {
        range.least = std::min(range.least, value);
        range.most = std::max(range.most, value);
    }
    return range;
}

// Four at a time, which do not wait for each other.
int64_t least_of(const std::vector<int64_t>& values) {
    std::array<int64_t, 4> least{};
    least.fill(values[0]);
    size_t k = 0;
    for (; k + least.size() <= values.size(); k += least.size()) {
        for (size_t lane = 0; lane < least.size(); ++lane) least[lane] = std::min(least[lane], values[k + lane]);
    }
    for (; k < values.size(); ++k) least[0] = std::min(least[0], values[k]);
    return std::min({least[0], least[1], least[2], least[3]});
}

// The steps between neighbours.
struct NeighbourSteps {
    bool fall;      // some of them
    bool are_wide;  // to store them takes as much as the values, relative to the least
};

// Looked at until that is known: in a column without order it soon is.
template <typename T>
NeighbourSteps steps_of(Span<const T> values, uint64_t range) {
    using Step = std::conditional_t<sizeof(T) == 2, int32_t, int64_t>;
    using Wide = std::make_unsigned_t<Step>;
    constexpr size_t kAtOnce = 256;
    Step most = 0, least = 0;  // of the widest values steps wrap: what is read is added up in the same way
    bool are_wide = range == 0;
    for (size_t first = 1; first < values.size() && !are_wide; first += kAtOnce) {
        for (size_t k = first; k < std::min(values.size(), first + kAtOnce); ++k) {
            const auto step = static_cast<Step>(static_cast<Wide>(values[k]) - static_cast<Wide>(values[k - 1]));
            most = std::max(most, step);
            least = std::min(least, step);
        }
        const auto rise = static_cast<uint64_t>(most), fall = static_cast<uint64_t>(~static_cast<int64_t>(least));
        are_wide = (least < 0 ? std::max(rise << 1, fall << 1 | 1) : rise) >= range;
    }
    return {least < 0, are_wide};
}

}  // namespace

uint64_t common_scale(const std::vector<uint64_t>& values) { return divisor_of(values); }
uint64_t common_scale(const std::vector<int64_t>& values) { return divisor_of(values); }

ContainerWriter::ContainerWriter(const char magic[4], int level, uint32_t n_tiles, uint32_t block) {
    head_.append(magic, 4);
    append<uint8_t>(head_, 1);
    append<uint8_t>(head_, static_cast<uint8_t>(level));
    append<uint16_t>(head_, 0);  // number of columns, set by finish()
    append<uint32_t>(head_, n_tiles);
    append<uint32_t>(head_, block);
}

void ContainerWriter::delta(ColumnId id, const std::vector<int64_t>& values) {
    if (values.empty()) return;
    scratch_.resize(values.size());
    bool negative = false;
    int64_t before = values[0];
    for (size_t k = 0; k < values.size(); ++k) {
        const int64_t step = values[k] - before;
        before = values[k];
        negative |= step < 0;
        scratch_[k] = static_cast<uint64_t>(step < 0 ? -step : step);
    }
    const uint64_t scale = common_scale(scratch_);
    before = values[0];
    for (size_t k = 0; k < values.size(); ++k) {
        const int64_t magnitude = static_cast<int64_t>(scale == 1 ? scratch_[k] : scratch_[k] / scale);
        if (negative) scratch_[k] = zigzag(values[k] < before ? -magnitude : magnitude);
        else scratch_[k] = static_cast<uint64_t>(magnitude);
        before = values[k];
    }
    store(id, static_cast<uint8_t>(kDelta | (negative ? kZigzag : 0)), values[0], scale, scratch_);
}

void ContainerWriter::plain(ColumnId id, const std::vector<int64_t>& values) {
    if (values.empty()) return;
    const int64_t base = least_of(values);
    scratch_.resize(values.size());
    for (size_t k = 0; k < values.size(); ++k) {
        scratch_[k] = static_cast<uint64_t>(values[k]) - static_cast<uint64_t>(base);
    }
    const uint64_t scale = common_scale(scratch_);
    if (scale > 1) {
        for (uint64_t& value : scratch_) value /= scale;
    }
    store(id, 0, base, scale, scratch_);
}

void ContainerWriter::float64(ColumnId id, const std::vector<double>& values) {
    if (values.empty()) return;
    scratch_.resize(values.size());
    std::memcpy(scratch_.data(), values.data(), values.size() * sizeof(double));
    store(id, kFloat64, 0, 1, scratch_);
}

template <typename T, typename Raw>
void ContainerWriter::store_smaller(uint8_t id, Span<const T> values, std::vector<Raw>& raw) {
    if (values.empty()) return;
    const ValueRange<T> range = range_of(values);
    const NeighbourSteps steps =
        steps_of(values, static_cast<uint64_t>(range.most) - static_cast<uint64_t>(range.least));
    raw.resize(values.size());
    if (steps.are_wide) {
        for (size_t k = 0; k < values.size(); ++k) {
            raw[k] = static_cast<Raw>(static_cast<Raw>(values[k]) - static_cast<Raw>(range.least));
        }
        store(static_cast<ColumnId>(id), 0, static_cast<int64_t>(range.least), 1, raw);
        return;
    }
    // Steps are below the range, so that they fit where values do.
    raw[0] = 0;
    for (size_t k = 1; k < values.size(); ++k) {
        const uint64_t step = static_cast<uint64_t>(values[k]) - static_cast<uint64_t>(values[k - 1]);
        raw[k] = static_cast<Raw>(steps.fall ? zigzag(static_cast<int64_t>(step)) : step);
    }
    store(static_cast<ColumnId>(id), static_cast<uint8_t>(kDelta | (steps.fall ? kZigzag : 0)),
          static_cast<int64_t>(values[0]), 1, raw);
}

void ContainerWriter::smaller(uint8_t id, Span<const int64_t> values) { store_smaller(id, values, scratch_); }

void ContainerWriter::smaller(uint8_t id, Span<const uint32_t> values) {
    std::vector<uint32_t> raw;
    store_smaller(id, values, raw);
}

void ContainerWriter::smaller(uint8_t id, Span<const uint16_t> values) {
    std::vector<uint16_t> raw;
    store_smaller(id, values, raw);
}

template <typename Raw>
void ContainerWriter::store(ColumnId id, uint8_t flags, int64_t base, uint64_t scale, const std::vector<Raw>& raw) {
    Raw all = 0;
    for (const Raw value : raw) all |= value;
    size_t planes = static_cast<size_t>(bit_length(all) + 7) / 8;
    if ((flags & kFloat64) != 0 && planes != 0) planes = 8;
    append<uint8_t>(headers_, static_cast<uint8_t>(id));
    append<uint8_t>(headers_, static_cast<uint8_t>(planes));
    append<uint8_t>(headers_, flags);
    append<uint8_t>(headers_, 0);
    append<uint32_t>(headers_, static_cast<uint32_t>(raw.size()));
    append<int64_t>(headers_, base);
    append<uint64_t>(headers_, scale);
    ++columns_;
    const size_t at = bodies_.size();
    bodies_.resize(at + planes * raw.size());
    write_planes(Span<const Raw>(raw), planes, bodies_.data() + at);
}

std::string ContainerWriter::finish() const {
    std::string out;
    out.reserve(head_.size() + headers_.size() + bodies_.size());
    out = head_;
    std::memcpy(out.data() + 6, &columns_, sizeof(columns_));
    out += headers_;
    out += bodies_;
    return out;
}

}  // namespace tilescope
