// Binds the pairing of begins and ends, of flow ends, and the slices that enclose a moment.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "columns/async_homes.hpp"
#include "columns/flow_join.hpp"
#include "columns/pairing.hpp"
#include "pyramid/enclosing.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

// The rows of a track, kept alive.
class BoundPairing {
  public:
    BoundPairing(InColumn<std::int64_t> time, InColumn<std::int64_t> duration, InColumn<std::uint8_t> phase,
                 InColumn<std::int32_t> name, std::optional<InColumn<std::int64_t>> key, std::int64_t trace_end,
                 std::optional<InColumn<std::int32_t>> text, std::optional<InColumn<std::uint8_t>> has_category)
        : time_(std::move(time)),
          duration_(std::move(duration)),
          phase_(std::move(phase)),
          name_(std::move(name)),
          key_(std::move(key)),
          text_(std::move(text)),
          has_category_(std::move(has_category)),
          input_{span_of(time_), span_of(duration_), span_of(phase_), span_of(name_), std::nullopt, trace_end, {}} {
        if (key_) input_.key = span_of(*key_);
        if (text_ && has_category_) input_.namesakes = Namesakes{span_of(*text_), span_of(*has_category_)};
        const Unlocked unlocked;
        room_ = pairing_room(input_);
    }

    std::size_t slices() const { return room_.slices; }
    std::size_t space() const { return room_.space; }

    auto pair(const WritableColumn<std::int64_t>& start, const WritableColumn<std::int64_t>& duration,
              const WritableColumn<std::int32_t>& name, const WritableColumn<std::int64_t>& source,
              const WritableColumn<std::int64_t>& end_source, const WritableColumn<std::uint8_t>& flags,
              const WritableColumn<std::int64_t>& space, MemoryBudget* budget) const {
        const PairedColumns out{span_of(start),  span_of(duration),   span_of(name),
                                span_of(source), span_of(end_source), span_of(flags)};
        const Unlocked unlocked;
        const PairingCounts counts = pair_slices(input_, out, span_of(space), budget);
        return std::make_tuple(counts.ends_without_begin, counts.begins_without_end, counts.renamed,
                               counts.recategorised);
    }

  private:
    InColumn<std::int64_t> time_, duration_;
    InColumn<std::uint8_t> phase_;
    InColumn<std::int32_t> name_;
    std::optional<InColumn<std::int64_t>> key_;
    std::optional<InColumn<std::int32_t>> text_;
    std::optional<InColumn<std::uint8_t>> has_category_;
    PairingInput input_;
    PairingRoom room_;
};

// Innermost slices, with the columns that they are looked up in.
class BoundInnermost {
  public:
    BoundInnermost(InColumn<std::int64_t> start, InColumn<std::int64_t> duration)
        : start_(std::move(start)), duration_(std::move(duration)), slices_(span_of(start_), span_of(duration_)) {}

    auto slices_at(const InColumn<std::int64_t>& time) {
        std::vector<std::int64_t> slice;
        {
            const Unlocked unlocked;
            slice = slices_.find(span_of(time));
        }
        return to_numpy(std::move(slice));
    }

  private:
    InColumn<std::int64_t> start_;
    InColumn<std::int64_t> duration_;
    InnermostSlices slices_;
};

auto join(const InColumn<std::uint8_t>& phase, const InColumn<std::int64_t>& tick, const InColumn<std::int64_t>& key,
          std::size_t share, std::size_t shares) {
    FlowEdges edges;
    {
        const Unlocked unlocked;
        edges = join_flows(span_of(phase), span_of(tick), span_of(key), share, shares);
    }
    return std::make_tuple(to_numpy(std::move(edges.source)), to_numpy(std::move(edges.target)),
                           edges.starts_without_end, edges.ends_without_start, edges.without_key);
}

auto homes(const InColumn<std::int64_t>& group, const InColumn<std::int64_t>& time_ns,
           const InColumn<std::int64_t>& time_ps, const InColumn<std::int64_t>& key,
           const InColumn<std::uint8_t>& phase, std::size_t keys) {
    std::vector<std::int64_t> keys_of_rows;
    {
        const Unlocked unlocked;
        keys_of_rows =
            async_homes({span_of(group), span_of(time_ns), span_of(time_ps), span_of(key), span_of(phase), keys});
    }
    return to_numpy(std::move(keys_of_rows));
}

}  // namespace

void bind_pairing(nb::module_& m) {
    m.def("async_homes", &homes, nb::arg("group"), nb::arg("time_ns"), nb::arg("time_ps"), nb::arg("key"),
          nb::arg("phase"), nb::arg("keys"),
          "Returns of each begin and end of async slices the key that it belongs to. A group is an identity, a key\n"
          "(below `keys`) an identity in one process; rows of a key come in file order.");
    nb::class_<BoundPairing>(
        m, "Pairing",
        "Makes slices of a track's rows. Without `key` all rows share one stack. `text` and\n"
        "`has_category`, both or none, are by name: the first name that has its text, and whether\n"
        "it has a category.")
        .def(nb::init<InColumn<std::int64_t>, InColumn<std::int64_t>, InColumn<std::uint8_t>, InColumn<std::int32_t>,
                      std::optional<InColumn<std::int64_t>>, std::int64_t, std::optional<InColumn<std::int32_t>>,
                      std::optional<InColumn<std::uint8_t>>>(),
             nb::arg("time"), nb::arg("duration"), nb::arg("phase"), nb::arg("name"), nb::arg("key").none(),
             nb::arg("trace_end"), nb::arg("text").none() = nb::none(), nb::arg("has_category").none() = nb::none())
        .def_prop_ro("slices", &BoundPairing::slices, "How many there will be.")
        .def_prop_ro("space", &BoundPairing::space, "How many numbers it needs to work with.")
        .def("pair", &BoundPairing::pair, nb::arg("start"), nb::arg("duration"), nb::arg("name"), nb::arg("source"),
             nb::arg("end_source"), nb::arg("flags"), nb::arg("space"), nb::arg("budget") = nb::none(),
             "Writes the slices: `source` is the row of the begin, `end_source` that of the end or -1. Returns how "
             "many\n"
             "ends had no begin, begins no end, and pairs two names, or two categories. Raises MemoryError when more\n"
             "are open at once than the budget has room for.");
    m.def(
        "join_flows", &join, nb::arg("phase"), nb::arg("tick"), nb::arg("key"), nb::arg("share"), nb::arg("shares"),
        "Returns the edges between flow ends of the keys of a share: their sources and targets as positions; and how\n"
        "many starts had no end, ends no start, and flow ends no key (-1), which count in share 0. The edges of all\n"
        "shares, one behind the other, are those of a single one.");
    nb::class_<BoundInnermost>(m, "InnermostSlices",
                               "Goes through slices in canonical order, as the times that it is asked for ascend.")
        .def(nb::init<InColumn<std::int64_t>, InColumn<std::int64_t>>(), nb::arg("start"), nb::arg("duration"))
        .def("of", &BoundInnermost::slices_at, nb::arg("time"),
             "Returns the position of the innermost slice around each time, else the last that ends at it, else -1.");
}

}  // namespace tilescope
