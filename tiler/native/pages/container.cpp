#include "pages/container.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/bit_length.hpp"

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
    const int64_t base = *std::min_element(values.begin(), values.end());
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

template <typename T>
void ContainerWriter::store_smaller(uint8_t id, Span<const T> values) {
    if (values.empty()) return;
    const auto wide = [](int64_t value) { return static_cast<uint64_t>(value); };
    int64_t least = values[0], most = values[0];
    uint64_t rise = 0, fall = 0;  // the greatest steps, which may wrap: what is read is added up in the same way
    bool falls = false;
    for (size_t k = 1; k < values.size(); ++k) {
        least = std::min<int64_t>(least, values[k]);
        most = std::max<int64_t>(most, values[k]);
        const uint64_t step = wide(values[k]) - wide(values[k - 1]);
        const bool down = static_cast<int64_t>(step) < 0;
        falls |= down;
        rise = std::max(rise, down ? 0 : step);
        fall = std::max(fall, down ? ~step : 0);  // its zigzag code is twice that, and one
    }
    const uint64_t greatest_step = falls ? std::max(rise << 1, fall << 1 | 1) : rise;
    scratch_.resize(values.size());
    if (greatest_step >= wide(most) - wide(least)) {
        for (size_t k = 0; k < values.size(); ++k) scratch_[k] = wide(values[k]) - wide(least);
        store(static_cast<ColumnId>(id), 0, least, 1, scratch_);
        return;
    }
    uint64_t before = wide(values[0]);
    for (size_t k = 0; k < values.size(); ++k) {
        const uint64_t step = wide(values[k]) - before;
        before = wide(values[k]);
        scratch_[k] = falls ? zigzag(static_cast<int64_t>(step)) : step;
    }
    store(static_cast<ColumnId>(id), static_cast<uint8_t>(kDelta | (falls ? kZigzag : 0)), values[0], 1, scratch_);
}

template void ContainerWriter::store_smaller(uint8_t id, Span<const int64_t> values);
template void ContainerWriter::store_smaller(uint8_t id, Span<const uint16_t> values);

void ContainerWriter::store(ColumnId id, uint8_t flags, int64_t base, uint64_t scale,
                            const std::vector<uint64_t>& raw) {
    uint64_t all = 0;
    for (const uint64_t value : raw) all |= value;
    int planes = (bit_length(all) + 7) / 8;
    if ((flags & kFloat64) != 0 && planes != 0) planes = 8;
    append<uint8_t>(headers_, static_cast<uint8_t>(id));
    append<uint8_t>(headers_, static_cast<uint8_t>(planes));
    append<uint8_t>(headers_, flags);
    append<uint8_t>(headers_, 0);
    append<uint32_t>(headers_, static_cast<uint32_t>(raw.size()));
    append<int64_t>(headers_, base);
    append<uint64_t>(headers_, scale);
    ++columns_;
    size_t at = bodies_.size();
    bodies_.resize(at + static_cast<size_t>(planes) * raw.size());
    for (int plane = 0; plane < planes; ++plane) {
        char* out = bodies_.data() + at;
        for (size_t k = 0; k < raw.size(); ++k) out[k] = static_cast<char>(raw[k] >> (8 * plane));
        at += raw.size();
    }
}

std::string ContainerWriter::finish() const {
    std::string out = head_;
    std::memcpy(out.data() + 6, &columns_, sizeof(columns_));
    out += headers_;
    out += bodies_;
    return out;
}

}  // namespace tilescope
