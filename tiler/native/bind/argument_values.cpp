// Binds the arguments of many events as columns.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "columns/argument_values.hpp"
#include "trace_event/json_arguments.hpp"
#include "xspace/args.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

// Kinds and bits of each argument; and the texts.
using ValueColumns =
    std::pair<std::vector<std::pair<OutColumn<std::uint8_t>, OutColumn<std::int64_t>>>, std::vector<nb::bytes>>;

// Calls `read` for the arguments of each of these rows.
template <typename Read>
void for_each_row(Span<const std::int64_t> ends, Bytes args, Span<const std::int64_t> rows, const Read& read) {
    for (const std::int64_t row : rows) {
        if (row < 0 || static_cast<std::uint64_t>(row) >= ends.size())
            throw std::invalid_argument("there is no such row");
        const auto index = static_cast<std::size_t>(row);
        const std::int64_t begin = index == 0 ? 0 : ends[index - 1];
        const std::int64_t end = ends[index];
        if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > args.size())
            throw std::invalid_argument("arguments lie beyond the data");
        read(args.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    }
}

ValueColumns columns_of(ArgumentValues& values) {
    ValueColumns out;
    for (ArgumentValues::ValueColumn& column : values.columns())
        out.first.emplace_back(to_numpy(std::move(column.kind)), to_numpy(std::move(column.bits)));
    for (std::size_t k = 0; k < values.texts().size(); ++k)
        out.second.push_back(to_bytes(values.texts().at(static_cast<std::int32_t>(k))));
    return out;
}

std::tuple<ValueColumns, OutColumn<std::int64_t>> stat_values(const InColumn<std::int64_t>& args_end,
                                                              const InColumn<std::uint8_t>& args,
                                                              const InColumn<std::int64_t>& rows,
                                                              const std::vector<std::vector<std::int64_t>>& ids,
                                                              bool has_number) {
    ArgumentValues values(ids.size());
    std::vector<std::int64_t> metadata;
    {
        const Unlocked unlocked;
        const xspace::WantedStats wanted(ids, has_number);
        std::vector<ArgumentValue> event_values(ids.size());
        metadata.reserve(rows.size());
        for_each_row(span_of(args_end), span_of(args), span_of(rows), [&](Bytes of_event) {
            metadata.push_back(wanted.read(of_event, event_values));
            values.add(event_values);
        });
    }
    return {columns_of(values), to_numpy(std::move(metadata))};
}

ValueColumns json_values(const InColumn<std::int64_t>& args_end, const InColumn<std::uint8_t>& args,
                         const InColumn<std::int64_t>& rows, std::vector<std::string> names) {
    ArgumentValues values(names.size());
    {
        const Unlocked unlocked;
        std::vector<ArgumentValue> event_values(names.size());
        const JsonArguments wanted(std::move(names));
        for_each_row(span_of(args_end), span_of(args), span_of(rows), [&](Bytes of_event) {
            wanted.read(text_of(of_event), event_values);
            values.add(event_values);
        });
    }
    return columns_of(values);
}

}  // namespace

void bind_argument_values(nb::module_& m) {
    m.def("stat_values", &stat_values, nb::arg("args_end"), nb::arg("args"), nb::arg("rows"), nb::arg("ids"),
          nb::arg("has_number") = true,
          "Returns of these events, for each list of ids, the kind of the stat of one of them (0 none, 1 integer,\n"
          "2 unsigned, 3 double, 4 text, 5 flag, 6 no value, 7 reference, 8 to be read with more care), and its bits,\n"
          "or the number of the text; the texts; and the events' metadata, -1 without arguments or `has_number`: they\n"
          "begin with the number of their metadata.");
    m.def("json_values", &json_values, nb::arg("args_end"), nb::arg("args"), nb::arg("rows"), nb::arg("names"),
          "Returns of these events, for each name, the kind and the bits of the argument as above; and the texts.");
}

}  // namespace tilescope
