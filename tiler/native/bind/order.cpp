// Binds canonical order, rows, and the order of strings.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "columns/args_chunk.hpp"
#include "columns/gather.hpp"
#include "columns/length_classes.hpp"
#include "columns/radix_order.hpp"
#include "columns/ticks.hpp"
#include "pyramid/order.hpp"
#include "pyramid/tie_order.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

bool is_ordered(const InColumn<int64_t>& start, const InColumn<int64_t>& duration) {
    const Unlocked unlocked;
    return in_canonical_order(span_of(start), span_of(duration));
}

void order_of(const InColumn<int64_t>& start, const InColumn<int64_t>& duration, const WritableColumn<int64_t>& order,
              const WritableColumn<int64_t>& space) {
    const Unlocked unlocked;
    canonical_order(span_of(start), span_of(duration), span_of(order), span_of(space));
}

bool ties_of(const InColumn<int64_t>& start, const WritableColumn<int64_t>& duration,
             const WritableColumn<int32_t>& name, const WritableColumn<uint8_t>& flags,
             const WritableColumn<int64_t>& args_end, const WritableColumn<uint8_t>& args,
             const std::optional<WritableColumn<int64_t>>& source) {
    const Span<int64_t> sources = source ? span_of(*source) : Span<int64_t>();
    const Unlocked unlocked;
    return order_ties(
        {span_of(start), span_of(duration), span_of(name), span_of(flags), span_of(args_end), span_of(args), sources});
}

// High and low half of the sum, which may be beyond 64 bits.
auto halves_of_sum(const InColumn<int64_t>& values) {
    const Unlocked unlocked;
    int64_t high = 0;
    int64_t low = 0;
    for (const int64_t value : span_of(values)) {
        high += value >> 32;
        low += value & 0xffffffff;
    }
    return std::make_pair(high, low);
}

auto rows_of(const InColumn<int64_t>& start, const InColumn<int64_t>& duration, const WritableColumn<uint32_t>& row,
             MemoryBudget* budget) {
    const Unlocked unlocked;
    const RowsGiven given = assign_rows(span_of(start), span_of(duration), span_of(row), budget);
    return std::make_pair(given.rows, given.overlaps);
}

Gathered gathered_of(const InColumn<int64_t>& order, const std::optional<InColumn<int64_t>>& behind) {
    return {span_of(order), behind ? span_of(*behind) : Span<const int64_t>()};
}

size_t gather_ends(const InColumn<int64_t>& ends, size_t size, const InColumn<int64_t>& order,
                   const WritableColumn<int64_t>& out_ends, const std::optional<InColumn<int64_t>>& behind) {
    const Unlocked unlocked;
    return gathered_ends(span_of(ends), size, gathered_of(order, behind), span_of(out_ends));
}

// Writes the ends to `out_ends` again: what is written to `out` rests on nothing that the caller says.
void gather_into(const InColumn<int64_t>& ends, const InColumn<uint8_t>& data, const InColumn<int64_t>& order,
                 const WritableColumn<int64_t>& out_ends, const WritableColumn<uint8_t>& out,
                 const std::optional<InColumn<int64_t>>& behind) {
    const Unlocked unlocked;
    gather(span_of(ends), span_of(data), gathered_of(order, behind), span_of(out_ends), span_of(out));
}

OutColumn<uint8_t> written_chunk(const InColumn<int64_t>& ends, int64_t start, const InColumn<uint8_t>& data) {
    std::vector<uint8_t> out;
    {
        const Unlocked unlocked;
        out = column_chunk(span_of(ends), start, span_of(data));
    }
    return to_numpy(std::move(out));
}

OutColumn<uint8_t> restored(const InColumn<int64_t>& ends, const InColumn<uint8_t>& classes) {
    std::vector<uint8_t> out;
    {
        const Unlocked unlocked;
        out = restored_by_length(span_of(ends), span_of(classes));
    }
    return to_numpy(std::move(out));
}

void ticks_of(const InColumn<int64_t>& ns, const std::optional<InColumn<int16_t>>& ps, uint64_t from_ns,
              uint64_t per_ns, const WritableColumn<int64_t>& ticks) {
    const Span<const int16_t> beyond = ps ? span_of(*ps) : Span<const int16_t>();
    const Unlocked unlocked;
    write_ticks(span_of(ns), beyond, from_ns, per_ns, span_of(ticks));
}

}  // namespace

void bind_order(nb::module_& m) {
    m.attr("ORDER_SPACE") = kOrderSpace;
    m.def("in_canonical_order", &is_ordered, nb::arg("start"), nb::arg("duration"),
          "Whether slices stand in the order (start, longer first).");
    m.def(
        "canonical_order", &order_of, nb::arg("start"), nb::arg("duration"), nb::arg("order"), nb::arg("space"),
        "Writes the positions of slices in the order (start, longer first, position) to `order`. `space` to work with\n"
        "has ORDER_SPACE numbers for each.");
    m.def(
        "order_ties", &ties_of, nb::arg("start"), nb::arg("duration"), nb::arg("name"), nb::arg("flags"),
        nb::arg("args_end"), nb::arg("args"), nb::arg("source").none(),
        "Brings slices whose starts never decrease into canonical order, in these columns. Returns False, and changes\n"
        "nothing, when starts decrease, or too much would have to move at once.");
    m.def("halves_of_sum", &halves_of_sum, nb::arg("values"),
          "Returns h and l: the sum of fewer than 2**31 values is h * 2**32 + l.");
    m.def("assign_rows", &rows_of, nb::arg("start"), nb::arg("duration"), nb::arg("row"),
          nb::arg("budget") = nb::none(),
          "Writes the row of each slice, which are in canonical order, to `row`. Returns how many rows there are,\n"
          "and how many slices overlap others only partly. Raises MemoryError when more are open at once than the "
          "budget\n"
          "has room for.");
    m.def("gather_ends", &gather_ends, nb::arg("ends"), nb::arg("size"), nb::arg("order"), nb::arg("out_ends"),
          nb::arg("behind").none() = nb::none(),
          "Writes the ends that strings have in another order to `out_ends`. Returns their total size. String k is\n"
          "data[ends[k-1]:ends[k]] of `size` bytes. `behind` names those that are put behind the others, -1 none.");
    m.def("gather_into", &gather_into, nb::arg("ends"), nb::arg("data"), nb::arg("order"), nb::arg("out_ends"),
          nb::arg("out"), nb::arg("behind").none() = nb::none(),
          "Copies strings in another order to `out`, which has the size that `gather_ends` returned, and their ends\n"
          "to `out_ends`.");
    m.def("column_chunk", &written_chunk, nb::arg("ends"), nb::arg("start"), nb::arg("data"),
          "Returns a chunk of strings, of which the first one begins at `start`: in classes of equal length, written\n"
          "column by column.");
    m.def("restored_by_length", &restored, nb::arg("ends"), nb::arg("classes"),
          "Returns the strings of such classes, one behind the other; `ends`: where each of them ends.");
    m.def("write_ticks", &ticks_of, nb::arg("ns"), nb::arg("ps").none(), nb::arg("from_ns"), nb::arg("per_ns"),
          nb::arg("ticks"), "Writes (ns - from_ns) * per_ns + ps to `ticks`, all modulo 2**64.");
}

}  // namespace tilescope
