// Binds a walk over the fields of any protobuf message: one by one, so that even millions of them take no memory.
#include <nanobind/nanobind.h>

#include <cstdint>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "xspace/wire.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

// Keeps the bytes that it walks over.
class MessageFields {
  public:
    explicit MessageFields(nb::bytes raw)
        : raw_(std::move(raw)),
          source_(reinterpret_cast<const std::uint8_t*>(raw_.c_str()), raw_.size()),
          cursor_(source_, {0, source_.size()}, "message") {}
    MessageFields(const MessageFields&) = delete;
    MessageFields& operator=(const MessageFields&) = delete;

    nb::tuple next() {
        while (!cursor_.at_end()) {
            const std::uint32_t tag = cursor_.tag();
            switch (tag & 7) {
            case 0: return nb::make_tuple(wire::field_number(tag), cursor_.signed_varint());
            case 2:
                return nb::make_tuple(wire::field_number(tag), to_bytes(wire::text(source_, cursor_.bytes("field"))));
            default: cursor_.skip(tag);
            }
        }
        throw nb::stop_iteration();
    }

  private:
    nb::bytes raw_;
    wire::Source source_;
    wire::Cursor cursor_;
};

}  // namespace

void bind_message_fields(nb::module_& m) {
    nb::class_<MessageFields>(m, "MessageFields",
                              "The fields of a protobuf message that are numbers or bytes, in order.")
        .def(nb::init<nb::bytes>(), nb::arg("raw"))
        .def(
            "__iter__", [](nb::handle self) { return self; }, nb::sig("def __iter__(self) -> MessageFields"))
        .def("__next__", &MessageFields::next, nb::sig("def __next__(self) -> tuple[int, int | bytes]"),
             "Returns the number of the next field, and its value: a signed number, or bytes. Raises WireError.");
}

}  // namespace tilescope
