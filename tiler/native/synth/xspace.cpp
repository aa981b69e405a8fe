#include "synth/xspace.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "synth/names.hpp"
#include "synth/random.hpp"
#include "synth/track.hpp"
#include "synth/wire.hpp"

namespace tilescope::synth {

namespace {

constexpr std::uint64_t kProgramId = 12'190'760'917'235'803'885u;
constexpr const char* kModuleName = "jit_train_step(12190760917235803885)";
constexpr std::uint64_t kFlowType = 14;  // any number, as long as both sides of a flow have it

// Metadata ids of events. Operations of the vocabulary come first, from 1.
constexpr std::uint64_t kModuleMetadata = 5'000;
constexpr std::uint64_t kCounterMetadata = 5'001;
constexpr std::uint64_t kAsyncMetadata = 6'000;
constexpr std::uint64_t kStepMetadata = 10'000;
// In realistic traces operations are more than fit there.
constexpr std::uint64_t kStageMetadata = 1'000'000;

constexpr std::uint64_t kNanosecondPs = 1'000;
constexpr std::uint64_t kDeviceAheadPs = 731'204'517;

enum Stat : std::uint64_t {
    kDeviceOffset = 1,
    kDeviceDuration,
    kHloCategory,
    kProgram,
    kSymbol,
    kFlops,
    kModelFlops,
    kBytesAccessed,
    kShape,
    kTfOp,
    kRunId,
    kQueueId,
    kReplicaId,
    kCoreType,
    kConsumerType,
    kConsumer,
    kProducerType,
    kProducer,
    kHloOp,
    kAsync,
    kId,
    kGroupId,
    kStepNum,
    kCounterValue,
    kSize,
    kSource,
    kProfileStart,
    kProfileStop,
    kDeviceType,
    kSourceFile,
    // In realistic traces alone:
    kRawBytesAccessed,
    kMemoryAccess,
    kSourceStack,
    kDeviceOrdinal,
    kStats
};
constexpr std::array<const char*, kStats> kStatNames = {"",
                                                        "device_offset_ps",
                                                        "device_duration_ps",
                                                        "hlo_category",
                                                        "program_id",
                                                        "symbol_id",
                                                        "flops",
                                                        "model_flops",
                                                        "bytes_accessed",
                                                        "shape_with_layout",
                                                        "tf_op",
                                                        "run_id",
                                                        "queue_id",
                                                        "replica_id",
                                                        "core_type",
                                                        "_ct",
                                                        "_c",
                                                        "_pt",
                                                        "_p",
                                                        "hlo_op",
                                                        "_a",
                                                        "id",
                                                        "group_id",
                                                        "step_num",
                                                        "counter_value",
                                                        "size",
                                                        "source",
                                                        "profile_start_time",
                                                        "profile_stop_time",
                                                        "device_type_string",
                                                        "train/loader.py:88",
                                                        "raw_bytes_accessed",
                                                        "memory_access_breakdown",
                                                        "source_stack",
                                                        "device_ordinal"};

// True if traces of a kind have the stat at all. Captures of TPUs have no groups: viewers add them, and xprof takes a
// trace with groups for one that it has prepared already.
bool has_stat(const Plan& plan, std::uint64_t id) { return plan.realistic() ? id != kGroupId : id <= kSourceFile; }

void uint_stat(Wire& wire, unsigned field, Stat id, std::uint64_t value) {
    const std::size_t mark = wire.open(field);
    wire.uint_field(1, id);
    wire.uint_field(3, value);
    wire.close(mark);
}

void int_stat(Wire& wire, unsigned field, Stat id, std::uint64_t value) {
    const std::size_t mark = wire.open(field);
    wire.uint_field(1, id);
    wire.uint_field(4, value);
    wire.close(mark);
}

void text_stat(Wire& wire, unsigned field, Stat id, std::string_view value) {
    const std::size_t mark = wire.open(field);
    wire.uint_field(1, id);
    wire.bytes_field(5, value);
    wire.close(mark);
}

// Writes how many bytes are read and written, and where.
void memory_access_stat(Wire& wire, unsigned field, std::uint64_t read, std::uint64_t written) {
    constexpr std::uint64_t kHbm = 1;
    const std::size_t mark = wire.open(field);
    wire.uint_field(1, kMemoryAccess);
    const std::size_t value = wire.open(6);
    for (const auto& [operation, bytes] : {std::pair{1u, read}, std::pair{2u, written}}) {
        const std::size_t access = wire.open(1);
        wire.uint_field(1, operation);
        wire.uint_field(2, kHbm);
        wire.uint_field(3, bytes);
        wire.close(access);
    }
    wire.close(value);
    wire.close(mark);
}

// The first id of operations of a device.
std::uint64_t operations_id(const Plan& plan) { return plan.realistic() ? kStageMetadata : 1; }

std::uint64_t metadata_id(const Plan& plan, Role role, const PlannedEvent& event) {
    switch (role) {
    case Role::steps: return kStepMetadata + event.step;
    case Role::modules: return kModuleMetadata;
    case Role::counter: return kCounterMetadata;
    case Role::async_operations: return kAsyncMetadata + event.name;
    case Role::operations: return operations_id(plan) + event.name;
    case Role::host_thread: return 1 + event.name;
    }
    throw std::logic_error("a role without metadata");
}

// Profilers number the lines of each device alike, and viewers know some of them by these numbers.
std::uint64_t line_id(const Plan& plan, std::size_t track) {
    if (plan.realistic()) {
        switch (plan.tracks()[track].role) {
        case Role::steps: return 1;
        case Role::modules: return 2;
        case Role::operations: return 3;
        case Role::async_operations: return 4;
        case Role::counter: return 8;
        case Role::host_thread: break;
        }
    }
    return track + 1;
}

class LineEncoder {
  public:
    LineEncoder(const Plan& plan, const Score& score, const PlannedTrack& track, std::uint64_t base_ps)
        : plan_(plan), score_(score), track_(track), base_ps_(base_ps) {}

    // The whole `events` field of one event, valid until the next call.
    std::string_view encode(const PlannedEvent& event) {
        wire_.clear();
        const std::size_t mark = wire_.open(4);
        wire_.uint_field(1, metadata_id(plan_, track_.role, event));
        wire_.uint_field(2, event.start_ps - base_ps_);
        if (event.duration_ps > 0) wire_.uint_field(3, event.duration_ps);
        stats(event);
        wire_.close(mark);
        return wire_.bytes();
    }

  private:
    void stats(const PlannedEvent& event) {
        switch (track_.role) {
        case Role::steps:
            if (has_stat(plan_, kGroupId)) int_stat(wire_, 4, kGroupId, event.step);
            int_stat(wire_, 4, kStepNum, event.step);
            break;
        case Role::modules:
            uint_stat(wire_, 4, kRunId, event.step * kModulesPerStep + event.name + 1);
            int_stat(wire_, 4, kReplicaId, track_.index);
            uint_stat(wire_, 4, kQueueId, 0);
            text_stat(wire_, 4, kCoreType, "TensorCore");
            if (event.flow == 0) break;
            int_stat(wire_, 4, kConsumerType, kFlowType);
            int_stat(wire_, 4, kConsumer, event.flow);
            break;
        case Role::operations:
            if (!plan_.realistic()) {
                uint_stat(wire_, 4, kDeviceOffset, event.start_ps);
                uint_stat(wire_, 4, kDeviceDuration, event.duration_ps);
                break;
            }
            // The device's clock is ahead, a little fast, and exact, where the event itself has whole nanoseconds.
            uint_stat(wire_, 4, kDeviceOffset, event.start_ps + event.start_ps / 500'000 + kDeviceAheadPs);
            uint_stat(wire_, 4, kDeviceDuration, event.duration_ps + noise(event.start_ps, 30) % kNanosecondPs);
            if (event.name % 16 != 0) break;
            uint_stat(wire_, 4, kQueueId, event.name / 16 % 4);
            int_stat(wire_, 4, kReplicaId, track_.index);
            break;
        case Role::async_operations:
            text_stat(wire_, 4, kHloOp, score_.async.operations[event.name].name);
            int_stat(wire_, 4, kAsync, 1);
            uint_stat(wire_, 4, kId, event.step);
            break;
        case Role::counter: {
            const std::size_t mark = wire_.open(4);
            wire_.uint_field(1, kCounterValue);
            wire_.double_field(2, static_cast<double>(event.value) / 1'000.0);
            wire_.close(mark);
            break;
        }
        case Role::host_thread:
            if (has_stat(plan_, kGroupId)) int_stat(wire_, 4, kGroupId, event.step);
            if (event.name % 3 == 0) uint_stat(wire_, 4, kSize, 1 + noise(event.start_ps, event.name) % 1'000'000);
            if (event.name % 5 == 0) {
                const std::size_t mark = wire_.open(4);
                wire_.uint_field(1, kSource);
                wire_.uint_field(7, kSourceFile);  // a reference: the value is the name of that stat
                wire_.close(mark);
            }
            if (event.flow_side != FlowSide::out) break;
            int_stat(wire_, 4, kProducerType, kFlowType);
            int_stat(wire_, 4, kProducer, event.flow);
            if (!plan_.realistic()) break;
            int_stat(wire_, 4, kRunId, event.flow);
            int_stat(wire_, 4, kQueueId, 0);
            int_stat(wire_, 4, kDeviceOrdinal, track_.index % 8);
            break;
        }
    }

    const Plan& plan_;
    const Score& score_;
    const PlannedTrack& track_;
    std::uint64_t base_ps_;
    Wire wire_;
};

class XSpaceWriter {
  public:
    XSpaceWriter(const Plan& plan, Output& output) : plan_(plan), score_(plan), output_(output) {}

    Totals write() {
        totals_.resize(plan_.tracks().size());
        for (std::size_t k = 0; k < plan_.processes().size(); ++k) plane(k);
        task_environment();
        Wire wire;
        wire.bytes_field(4, "synthetic");
        output_.write(wire.bytes());
        return std::move(totals_);
    }

  private:
    // Lines of a host count from their own start, those of a device from the start of the recording.
    static std::uint64_t line_base_ns(const PlannedTrack& track) {
        return track.role == Role::host_thread ? 1'000 + 37 * track.index : 0;
    }

    void plane(std::size_t index) {
        const PlannedProcess& process = plan_.processes()[index];
        const std::uint64_t head_size = plane_head(index, process).size();
        const std::string metadata = plane_metadata(process);
        std::uint64_t size = head_size + metadata.size();
        std::vector<std::uint64_t> line_sizes;
        for (const std::size_t k : process.tracks) {
            line_sizes.push_back(line_head(k).size() + measure(k) + line_tail(k).size());
            Wire header;
            header.header(3, line_sizes.back());
            size += header.bytes().size() + line_sizes.back();
        }
        header(1, size);
        output_.write(plane_head(index, process));
        for (std::size_t k = 0; k < process.tracks.size(); ++k) {
            header(3, line_sizes[k]);
            line(process.tracks[k]);
        }
        output_.write(metadata);
    }

    void header(unsigned field, std::uint64_t size) {
        Wire wire;
        wire.header(field, size);
        output_.write(wire.bytes());
    }

    std::string_view plane_head(std::size_t index, const PlannedProcess& process) {
        wire_.clear();
        wire_.uint_field(1, index + 1);
        wire_.bytes_field(2, process.name);
        return wire_.bytes();
    }

    std::string_view line_head(std::size_t k) {
        const PlannedTrack& track = plan_.tracks()[k];
        wire_.clear();
        wire_.uint_field(1, line_id(plan_, k));
        wire_.bytes_field(2, track.name);
        if (line_base_ns(track) > 0) wire_.uint_field(3, line_base_ns(track));
        return wire_.bytes();
    }

    std::string_view line_tail(std::size_t k) {
        wire_.clear();
        wire_.uint_field(10, line_id(plan_, k));
        wire_.bytes_field(11, plan_.tracks()[k].name);
        return wire_.bytes();
    }

    std::uint64_t measure(std::size_t k) {
        const PlannedTrack& track = plan_.tracks()[k];
        TrackEvents events(plan_, score_, track, plan_.realistic() ? kNanosecondPs : 1);
        LineEncoder encoder(plan_, score_, track, line_base_ns(track) * 1'000);
        std::uint64_t size = 0;
        for (PlannedEvent event{}; events.next(event);) size += encoder.encode(event).size();
        return size;
    }

    void line(std::size_t k) {
        const PlannedTrack& track = plan_.tracks()[k];
        output_.write(line_head(k));
        TrackEvents events(plan_, score_, track, plan_.realistic() ? kNanosecondPs : 1);
        LineEncoder encoder(plan_, score_, track, line_base_ns(track) * 1'000);
        for (PlannedEvent event{}; events.next(event);) {
            totals_[k].add(event, track.role, Format::xspace);
            output_.count_event();
            output_.write(encoder.encode(event));
        }
        output_.write(line_tail(k));
    }

    std::string plane_metadata(const PlannedProcess& process) {
        wire_.clear();
        const std::uint64_t index = plan_.tracks()[process.tracks.front()].index;  // of the device
        bool steps = false;
        bool device = true;
        for (const std::size_t k : process.tracks) {
            steps |= plan_.tracks()[k].role == Role::steps;
            device &= plan_.tracks()[k].role != Role::host_thread;
        }
        if (device) {
            vocabulary(score_.device(index), operations_id(plan_));
            event_metadata(kModuleMetadata, kModuleName);
            event_metadata(kCounterMetadata, "HBM bandwidth utilisation (%)");
            vocabulary(score_.async, kAsyncMetadata);
        } else {
            vocabulary(score_.host, 1);
        }
        for (std::uint64_t step = 0; steps && step < plan_.steps(); ++step) {
            event_metadata(kStepMetadata + step, std::to_string(step));
        }
        stat_metadata();
        if (device) text_stat(wire_, 6, kDeviceType, "TPU synthetic");
        return std::string(wire_.bytes());
    }

    void event_metadata(std::uint64_t id, std::string_view name) {
        const std::size_t entry = wire_.open(4);
        wire_.uint_field(1, id);
        const std::size_t value = wire_.open(2);
        wire_.uint_field(1, id);
        wire_.bytes_field(2, name);
        wire_.close(value);
        wire_.close(entry);
    }

    void vocabulary(const Vocabulary& vocabulary, std::uint64_t first_id) {
        std::uint64_t id = first_id;
        for (const Operation& operation : vocabulary.operations) {
            const std::size_t entry = wire_.open(4);
            wire_.uint_field(1, id);
            const std::size_t value = wire_.open(2);
            wire_.uint_field(1, id);
            wire_.bytes_field(2, operation.long_name);
            if (operation.long_name != operation.name) {
                wire_.bytes_field(4, operation.name);
                operation_stats(operation, id);
            }
            wire_.close(value);
            wire_.close(entry);
            ++id;
        }
    }

    void operation_stats(const Operation& operation, std::uint64_t id) {
        text_stat(wire_, 5, kHloCategory, operation.category);
        uint_stat(wire_, 5, kProgram, kProgramId);
        uint_stat(wire_, 5, kSymbol, id);
        int_stat(wire_, 5, kFlops, operation.flops);
        int_stat(wire_, 5, kModelFlops, operation.flops);
        int_stat(wire_, 5, kBytesAccessed, operation.bytes_accessed);
        text_stat(wire_, 5, kShape, operation.shape);
        if (!plan_.realistic()) {
            text_stat(wire_, 5, kTfOp, operation.scope);
            return;
        }
        int_stat(wire_, 5, kRawBytesAccessed, operation.bytes_accessed);
        const std::uint64_t written = operation.bytes_accessed / 3;
        memory_access_stat(wire_, 5, operation.bytes_accessed - written, written);
        text_stat(wire_, 5, kTfOp, operation.scope + ":");  // a type may follow, of which JAX has none
        if (operation.source.empty()) return;
        text_stat(wire_, 5, kSource, operation.source);
        text_stat(wire_, 5, kSourceStack, operation.source_stack);
    }

    void stat_metadata() {
        for (std::uint64_t id = 1; id < kStats; ++id) {
            if (!has_stat(plan_, id)) continue;
            const std::size_t entry = wire_.open(5);
            wire_.uint_field(1, id);
            const std::size_t value = wire_.open(2);
            wire_.uint_field(1, id);
            wire_.bytes_field(2, kStatNames[id]);
            wire_.close(value);
            wire_.close(entry);
        }
    }

    void task_environment() {
        wire_.clear();
        wire_.bytes_field(2, "Task Environment");
        stat_metadata();
        uint_stat(wire_, 6, kProfileStart, kStartEpochNs);
        uint_stat(wire_, 6, kProfileStop, kStartEpochNs + plan_.step(plan_.steps() - 1).end_ps / 1'000);
        header(1, wire_.bytes().size());
        output_.write(wire_.bytes());
    }

    const Plan& plan_;
    Score score_;
    Output& output_;
    Totals totals_;
    Wire wire_;
};

}  // namespace

Totals write_xspace(const Plan& plan, Output& output) { return XSpaceWriter(plan, output).write(); }

}  // namespace tilescope::synth
