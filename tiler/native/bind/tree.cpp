// Binds the reader of LMDB files.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/exceptions.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "files/read_only_file.hpp"
#include "tree/file.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using tree::Entry;
using tree::Snapshot;

// Limits of one scan: the values that are read at once, and how often a writer may be faster than we are.
constexpr std::size_t kScanBytes = std::size_t{4} << 20;
constexpr int kTries = 1000;

// The file is shared with the calls that read it: who closes it takes it from none.
class TreeReader {
  public:
    TreeReader(int descriptor, bool growing) : file_(std::make_shared<tree::TreeFile>(descriptor, growing)) {}

    void settle() { file()->settle(); }

    std::uint64_t entries() const { return file()->snapshot().entries; }

    // Checksum and value.
    std::optional<std::pair<std::uint32_t, nb::bytes>> get(const nb::bytes& key) const {
        std::optional<std::pair<std::uint32_t, nb::bytes>> value;
        consistently([&](const tree::TreeFile& file, const Snapshot& snapshot, std::size_t) {
            std::vector<Entry> matches;
            {
                const Unlocked unlocked;
                if (std::optional<Entry> entry = file.find(snapshot, view_of(key)))
                    matches.push_back(std::move(*entry));
            }
            value.reset();
            for (Read& read : read_all(file, snapshot, matches)) value.emplace(read.checksum, std::move(read.value));
        });
        return value;
    }

    // Key, checksum, value.
    using Row = std::tuple<nb::bytes, std::uint32_t, nb::bytes>;

    std::optional<Row> last_at_most(const nb::bytes& key, const nb::bytes& prefix) const {
        std::vector<Row> entries;
        consistently([&](const tree::TreeFile& file, const Snapshot& snapshot, std::size_t) {
            std::vector<Entry> matches;
            {
                const Unlocked unlocked;
                std::optional<Entry> entry = file.last_at_most(snapshot, view_of(key), view_of(prefix));
                if (entry) matches.push_back(std::move(*entry));
            }
            entries = rows(file, snapshot, matches);
        });
        if (entries.empty()) return std::nullopt;
        return std::move(entries[0]);
    }

    std::vector<Row> scan(const nb::bytes& first, const nb::bytes& prefix, std::size_t limit) const {
        std::vector<Row> entries;
        consistently([&](const tree::TreeFile& file, const Snapshot& snapshot, std::size_t failed) {
            std::vector<Entry> scanned;
            // Who is too slow for the writer reads less.
            const std::size_t fewer = std::max<std::size_t>(1, limit >> std::min<std::size_t>(failed, 30));
            {
                const Unlocked unlocked;
                scanned = file.scan(snapshot, view_of(first), view_of(prefix), fewer, kScanBytes);
            }
            entries = rows(file, snapshot, scanned);
        });
        return entries;
    }

    void close() { file_.reset(); }

  private:
    std::shared_ptr<tree::TreeFile> file() const {
        if (file_ == nullptr) throw std::runtime_error("it is closed");
        return file_;
    }

    // Reads one state of the file: again, if a writer was faster.
    template <typename Read>
    void consistently(const Read& read) const {
        const std::shared_ptr<const tree::TreeFile> file = this->file();
        for (std::size_t failed = 0; failed < kTries; ++failed) {
            const Snapshot snapshot = file->snapshot();
            try {
                read(*file, snapshot, failed);
            } catch (const FileDamage&) {
                if (file->is_intact(snapshot)) throw;
                continue;
            }
            if (file->is_intact(snapshot)) return;
        }
        throw std::runtime_error("it changes faster than it can be read");
    }

    struct Read {
        std::uint32_t checksum;
        nb::bytes value;
    };

    static std::vector<Read> read_all(const tree::TreeFile& file, const Snapshot& snapshot,
                                      const std::vector<Entry>& entries) {
        std::vector<Read> read;
        read.reserve(entries.size());
        std::vector<Span<std::uint8_t>> places;
        for (const Entry& entry : entries) {
            const std::size_t size = entry.value.size - tree::kChecksumBytes;
            PyObject* made = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
            if (made == nullptr) nb::raise_python_error();
            read.push_back({0, nb::steal<nb::bytes>(made)});
            places.emplace_back(reinterpret_cast<std::uint8_t*>(PyBytes_AsString(made)), size);
        }
        const Unlocked unlocked;
        for (std::size_t k = 0; k < entries.size(); ++k) read[k].checksum = file.read(snapshot, entries[k], places[k]);
        return read;
    }

    static std::vector<Row> rows(const tree::TreeFile& file, const Snapshot& snapshot,
                                 const std::vector<Entry>& entries) {
        std::vector<Row> out;
        out.reserve(entries.size());
        std::vector<Read> read = read_all(file, snapshot, entries);
        for (std::size_t k = 0; k < entries.size(); ++k) {
            out.emplace_back(to_bytes(entries[k].key), read[k].checksum, std::move(read[k].value));
        }
        return out;
    }

    std::shared_ptr<tree::TreeFile> file_;
};

}  // namespace

void bind_tree(nb::module_& m) {
    bind_exception<FileDamage>(m, "FileDamage", PyExc_ValueError, "FileDamage(what, byte offset)", WhatAndOffset());
    nb::class_<TreeReader>(
        m, "TreeReader",
        "Reads an LMDB file. The first four bytes of values come apart, as a number. Raises FileDamage.")
        .def(nb::init<int, bool>(), nb::arg("descriptor"), nb::arg("growing"),
             "Takes over the descriptor. `growing`: another process writes the file.")
        .def_prop_ro("entries", &TreeReader::entries)
        .def("settle", &TreeReader::settle, "The file is complete now, and stays as it is.")
        .def("get", &TreeReader::get, nb::arg("key"), "Returns checksum and value.")
        .def("last_at_most", &TreeReader::last_at_most, nb::arg("key"), nb::arg("prefix"),
             "Returns key, checksum and value of the last entry up to `key`, if it begins with `prefix`.")
        .def("scan", &TreeReader::scan, nb::arg("first"), nb::arg("prefix"), nb::arg("limit"),
             "Returns key, checksum and value of entries from `first` on as long as they begin with `prefix`: at\n"
             "most `limit`, and fewer when they are large.")
        .def("close", &TreeReader::close);
}

}  // namespace tilescope
