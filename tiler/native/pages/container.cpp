#include "pages/container.hpp"

#include <algorithm>
#include <cstring>

#include "base/byte_planes.hpp"

namespace tilescope {

namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the container is written with the byte order of the host");

constexpr size_t kHeaderBytes = 24;
constexpr size_t kCountAt = 6;  // in the head: the number of columns

template <typename T>
char* put(char* out, T value) {
    std::memcpy(out, &value, sizeof(T));
    return out + sizeof(T);
}

void write_planes_of(Span<const uint8_t> values, size_t /*planes*/, char* out, size_t /*stride*/) {
    std::memcpy(out, values.data(), values.size());
}
template <typename Raw>
void write_planes_of(Span<const Raw> values, size_t planes, char* out, size_t stride) {
    write_planes(values, planes, out, stride);
}

// Writes what `raw_of` puts for the values from a place on, some at a time: they stay in the fastest cache.
template <typename Raw, typename RawOf>
void write_some(size_t n, size_t planes, char* out, const RawOf& raw_of) {
    constexpr size_t kAtOnce = 512;
    std::array<Raw, kAtOnce> raw{};
    for (size_t first = 0; first < n; first += kAtOnce) {
        const size_t count = std::min(kAtOnce, n - first);
        raw_of(first, count, raw.data());
        write_planes_of(Span<const Raw>(raw.data(), count), planes, out + first, n);
    }
}

// Numbers that are stored have as many bytes as `Raw`, at most: of all others the lowest bits are right.
template <typename Raw, typename T>
void write_plain(const ColumnPlan& plan, Span<const T> values, char* out) {
    write_some<Raw>(values.size(), plan.planes, out, [&](size_t first, size_t count, Raw* raw) {
        const T* from = values.data() + first;
        if (plan.scale == 1) {
            const auto base = static_cast<Raw>(plan.base);
            for (size_t k = 0; k < count; ++k) raw[k] = static_cast<Raw>(static_cast<Raw>(from[k]) - base);
            return;
        }
        const auto base = static_cast<uint64_t>(plan.base);
        for (size_t k = 0; k < count; ++k)
            raw[k] = static_cast<Raw>((static_cast<uint64_t>(from[k]) - base) / plan.scale);
    });
}

template <typename Raw, typename T>
void write_delta(const ColumnPlan& plan, Span<const T> values, char* out) {
    write_some<Raw>(values.size(), plan.planes, out, [&](size_t first, size_t count, Raw* raw) {
        const size_t begin = first == 0 ? 1 : 0;  // there is no step to the first value
        if (first == 0) raw[0] = 0;
        const T* from = values.data() + first;
        if (plan.scale == 1) {
            for (size_t k = begin; k < count; ++k)
                raw[k] = static_cast<Raw>(static_cast<Raw>(from[k]) - static_cast<Raw>(*(from + k - 1)));
        } else {
            const auto scale = static_cast<int64_t>(plan.scale);
            for (size_t k = begin; k < count; ++k) raw[k] = static_cast<Raw>(step_at(values, first + k) / scale);
        }
        if ((plan.flags & column_flag::zigzag) != 0) {
            for (size_t k = 0; k < count; ++k) raw[k] = zigzag(raw[k]);
        }
    });
}

template <typename Raw, typename T>
void write_ints(const ColumnPlan& plan, Span<const T> values, char* out) {
    if ((plan.flags & column_flag::delta) != 0) write_delta<Raw>(plan, values, out);
    else write_plain<Raw>(plan, values, out);
}

template <typename T>
void write_values(const ColumnPlan& plan, Span<const T> values, char* out) {
    if (plan.planes == 0) return;
    if (plan.planes == 1) write_ints<uint8_t>(plan, values, out);
    else if (plan.planes == 2) write_ints<uint16_t>(plan, values, out);
    else if (plan.planes <= 4) write_ints<uint32_t>(plan, values, out);
    else write_ints<uint64_t>(plan, values, out);
}

void write_values(const ColumnPlan& plan, Span<const double> values, char* out) {
    if (plan.planes == 0) return;
    write_some<uint64_t>(values.size(), plan.planes, out, [&](size_t first, size_t count, uint64_t* raw) {
        std::memcpy(raw, values.data() + first, count * sizeof(double));
    });
}

size_t count_of(Span<const NumberRun> runs) {
    size_t n = 0;
    for (const NumberRun& run : runs) n += run.n;
    return n;
}

bool are_alone(Span<const NumberRun> runs) {
    return std::all_of(runs.begin(), runs.end(), [](const NumberRun& run) { return run.n == 1; });
}

std::vector<int64_t> first_of(Span<const NumberRun> runs) {
    std::vector<int64_t> first;
    first.reserve(runs.size());
    for (const NumberRun& run : runs) first.push_back(run.first);
    return first;
}

// Calls with each run, and the step to its first number.
template <typename Call>
void for_each_run(Span<const NumberRun> runs, const Call& call) {
    int64_t before = runs[0].first;
    for (const NumberRun& run : runs) {
        call(run, run.first - before);
        before = run.first + static_cast<int64_t>(run.n) - 1;
    }
}

ColumnPlan plan_runs(Span<const NumberRun> runs) {
    if (are_alone(runs)) return plan_delta<int64_t>(first_of(runs));
    int64_t most = 1, least = 0;  // as in a run
    for_each_run(runs, [&](const NumberRun& /*run*/, int64_t step) {
        most = std::max(most, step);
        least = std::min(least, step);
    });
    const uint8_t flags = column_flag::delta | (least < 0 ? column_flag::zigzag : 0);
    return {flags, planes_of_steps(most, least), runs[0].first, 1};
}

void write_values(const ColumnPlan& plan, Span<const NumberRun> runs, char* out) {
    if (are_alone(runs)) {
        write_values<int64_t>(plan, first_of(runs), out);
        return;
    }
    const size_t n = count_of(runs);
    const bool has_falls = (plan.flags & column_flag::zigzag) != 0;
    for (size_t plane = 0; plane < plan.planes; ++plane)
        std::memset(out + plane * n, plane != 0 ? 0 : has_falls ? 2 : 1, n);
    size_t row = 0;
    for_each_run(runs, [&](const NumberRun& run, int64_t step) {
        const auto raw = has_falls ? zigzag(static_cast<uint64_t>(step)) : static_cast<uint64_t>(step);
        for (size_t plane = 0; plane < plan.planes; ++plane)
            out[plane * n + row] = static_cast<char>(raw >> (8 * plane));
        row += run.n;
    });
}

}  // namespace

ContainerWriter::ContainerWriter(const char magic[4], int level, uint32_t n_tiles, uint32_t block)
    : size_(head_.size()) {
    char* next = head_.data();
    std::memcpy(next, magic, 4);
    next = put<uint8_t>(next + 4, 1);
    next = put<uint8_t>(next, static_cast<uint8_t>(level));
    next = put<uint16_t>(next, 0);  // number of columns, set when it is written
    next = put<uint32_t>(next, n_tiles);
    put<uint32_t>(next, block);
}

void ContainerWriter::add(uint8_t id, size_t n, const ColumnPlan& plan, const Values& values) {
    columns_.push_back({id, n, plan, values});
    size_ += kHeaderBytes + plan.planes * n;
}

void ContainerWriter::delta(ColumnId id, Span<const int64_t> values) {
    if (!values.empty()) add(static_cast<uint8_t>(id), values.size(), plan_delta(values), values);
}

void ContainerWriter::delta(ColumnId id, Span<const uint8_t> values) {
    if (!values.empty()) add(static_cast<uint8_t>(id), values.size(), plan_delta(values), values);
}

void ContainerWriter::delta(ColumnId id, Span<const NumberRun> runs) {
    if (!runs.empty()) add(static_cast<uint8_t>(id), count_of(runs), plan_runs(runs), runs);
}

void ContainerWriter::plain(ColumnId id, Span<const int64_t> values) {
    if (!values.empty()) add(static_cast<uint8_t>(id), values.size(), plan_plain(values), values);
}

void ContainerWriter::plain(ColumnId id, Span<const int32_t> values) {
    if (!values.empty()) add(static_cast<uint8_t>(id), values.size(), plan_plain(values), values);
}

void ContainerWriter::plain(ColumnId id, Span<const uint32_t> values) {
    if (!values.empty()) add(static_cast<uint8_t>(id), values.size(), plan_plain(values), values);
}

void ContainerWriter::plain(ColumnId id, Span<const uint8_t> values) {
    if (!values.empty()) add(static_cast<uint8_t>(id), values.size(), plan_plain(values), values);
}

void ContainerWriter::float64(ColumnId id, Span<const double> values) {
    if (values.empty()) return;
    const bool has_bits = std::any_of(values.begin(), values.end(), [](double value) {
        uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        return bits != 0;
    });
    add(static_cast<uint8_t>(id), values.size(), {column_flag::float64, has_bits ? sizeof(double) : 0, 0, 1}, values);
}

void ContainerWriter::smaller(uint8_t id, Span<const int64_t> values) {
    if (!values.empty()) add(id, values.size(), plan_smaller(values), values);
}

void ContainerWriter::smaller(uint8_t id, Span<const uint32_t> values) {
    if (!values.empty()) add(id, values.size(), plan_smaller(values), values);
}

void ContainerWriter::smaller(uint8_t id, Span<const uint16_t> values) {
    if (!values.empty()) add(id, values.size(), plan_smaller(values), values);
}

void ContainerWriter::planned(uint8_t id, const ColumnPlan& plan, Span<const int64_t> values) {
    if (!values.empty()) add(id, values.size(), plan, values);
}

void ContainerWriter::planned(uint8_t id, const ColumnPlan& plan, Span<const uint32_t> values) {
    if (!values.empty()) add(id, values.size(), plan, values);
}

void ContainerWriter::write(char* out) const {
    std::memcpy(out, head_.data(), head_.size());
    put<uint16_t>(out + kCountAt, static_cast<uint16_t>(columns_.size()));
    char* next = out + head_.size();
    for (const Column& column : columns_) {
        next = put<uint8_t>(next, column.id);
        next = put<uint8_t>(next, static_cast<uint8_t>(column.plan.planes));
        next = put<uint8_t>(next, column.plan.flags);
        next = put<uint8_t>(next, 0);
        next = put<uint32_t>(next, static_cast<uint32_t>(column.n));
        next = put<int64_t>(next, column.plan.base);
        next = put<uint64_t>(next, column.plan.scale);
    }
    for (const Column& column : columns_) {
        std::visit([&](const auto& values) { write_values(column.plan, values, next); }, column.values);
        next += column.plan.planes * column.n;
    }
}

std::string ContainerWriter::finish() const {
    std::string out(size_, 0);
    write(out.data());
    return out;
}

}  // namespace tilescope
