// Binds what is read of the arguments of XSpace events.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "xspace/args.hpp"
#include "xspace/wire.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

// Of some rows: the integer that a stat has among the arguments of each.
auto integer_stats(const InColumn<std::int64_t>& args_end, const InColumn<std::uint8_t>& args,
                   const InColumn<std::int64_t>& rows, const std::vector<std::int64_t>& ids, std::int64_t absent) {
    std::vector<std::int64_t> found;
    {
        nb::gil_scoped_release release;
        found.reserve(rows.size());
        const Span<const std::int64_t> ends = span_of(args_end);
        for (const std::int64_t row : span_of(rows)) {
            if (row < 0 || static_cast<std::uint64_t>(row) >= ends.size())
                throw std::invalid_argument("there is no such row");
            const auto at = static_cast<std::size_t>(row);
            const std::int64_t begin = at == 0 ? 0 : ends[at - 1];
            const std::int64_t end = ends[at];
            if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > args.size())
                throw std::invalid_argument("arguments lie beyond the data");
            const wire::Source source =
                span_of(args).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
            found.push_back(xspace::integer_stat(source, ids, absent));
        }
    }
    return to_numpy(std::move(found));
}

// Of many events: kind and value of a stat, and the events' metadata; texts, each once, by the numbers that are values.
auto stat_values(const InColumn<std::int64_t>& args_end, const InColumn<std::uint8_t>& args,
                 const std::vector<std::int64_t>& ids) {
    std::vector<std::uint8_t> kind;
    std::vector<std::int64_t> bits, metadata;
    std::vector<std::string_view> texts;
    {
        nb::gil_scoped_release release;
        std::unordered_map<std::string_view, std::int64_t> numbers;
        std::int64_t begin = 0;
        for (const std::int64_t end : span_of(args_end)) {
            if (end < begin || static_cast<std::uint64_t>(end) > args.size())
                throw std::invalid_argument("arguments lie beyond the data");
            const wire::Source source =
                span_of(args).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
            begin = end;
            xspace::StatValue value;
            try {
                value = xspace::stat_value(source, ids);
            } catch (const wire::Error&) {
                value = {};
                value.metadata = UINT64_MAX;
            }
            if (value.kind == xspace::StatKind::text) {
                const std::string_view text = wire::text(source, value.text);
                value.bits = numbers.try_emplace(text, static_cast<std::int64_t>(numbers.size())).first->second;
                if (static_cast<std::size_t>(value.bits) == texts.size()) texts.push_back(text);
            }
            kind.push_back(static_cast<std::uint8_t>(value.kind));
            bits.push_back(value.bits);
            metadata.push_back(static_cast<std::int64_t>(value.metadata));
        }
    }
    std::vector<nb::bytes> of_texts;
    of_texts.reserve(texts.size());
    for (const std::string_view text : texts) of_texts.push_back(to_bytes(text));
    return std::make_tuple(to_numpy(std::move(kind)), to_numpy(std::move(bits)), to_numpy(std::move(metadata)),
                           of_texts);
}

}  // namespace

void bind_xspace_args(nb::module_& m) {
    m.def("stat_values", &stat_values, nb::arg("args_end"), nb::arg("args"), nb::arg("ids"),
          "Returns of the arguments of each event: the kind of the last stat of one of these ids (0 none, 1 integer,\n"
          "2 unsigned, 3 double, 4 reference, 5 text, 6 something else), its bits or the number of the text, and the\n"
          "event's metadata, -1 without arguments; and the texts.");
    m.def("integer_stats", &integer_stats, nb::arg("args_end"), nb::arg("args"), nb::arg("rows"), nb::arg("ids"),
          nb::arg("absent"),
          "Returns of some rows the integer that a stat with one of these ids has among the arguments, or `absent`.");
}

}  // namespace tilescope
