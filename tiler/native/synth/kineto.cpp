#include "synth/kineto.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "synth/json_line.hpp"
#include "synth/names.hpp"
#include "synth/random.hpp"
#include "synth/track.hpp"

namespace tilescope::synth {

namespace {

constexpr std::uint64_t kQuantumPs = 1'000;  // three decimals of a microsecond
constexpr std::uint64_t kPid = 4'001;        // of Python's process and its first thread; GPUs have their numbers
constexpr unsigned kTurn = 12;               // events that a track writes before the next one does

class KinetoWriter {
  public:
    KinetoWriter(const Plan& plan, Output& output) : plan_(plan), score_(plan), output_(output) {}

    Totals write() {
        head();
        Totals totals(plan_.tracks().size());
        std::vector<TrackEvents> sources;
        sources.reserve(totals.size());
        for (const PlannedTrack& track : plan_.tracks()) sources.emplace_back(plan_, score_, track, kQuantumPs);
        for (std::uint64_t step = 0; step < plan_.steps(); ++step) write_step(step, sources, totals);
        metadata();
        output_.write("\n  ],\n  \"traceName\": \"/tmp/tilescope_synth.pt.trace.json\"\n}\n");
        return totals;
    }

  private:
    void head() {
        output_.write(
            "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"Synthetic "
            "GPU\", \"totalGlobalMem\": 85899345920,\n      \"computeMajor\": 8, \"computeMinor\": 0,\n      "
            "\"warpSize\": 32, \"numSms\": 108\n    }\n  ],\n  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": "
            "0, "
            "\"world_size\": 1},\n  \"displayTimeUnit\": \"ms\",\n  \"traceEvents\": [");
    }

    void write_step(std::uint64_t step, std::vector<TrackEvents>& sources, Totals& totals) {
        std::vector<std::size_t> busy;
        for (std::size_t k = 0; k < sources.size(); ++k) {
            if (sources[k].step() == step) busy.push_back(k);
        }
        while (!busy.empty()) {
            std::size_t left = 0;
            for (const std::size_t k : busy) {
                if (turn(k, step, sources[k], totals[k])) busy[left++] = k;
            }
            busy.resize(left);
        }
    }

    // True if the track has more events of this step.
    bool turn(std::size_t k, std::uint64_t step, TrackEvents& source, TrackTotals& totals) {
        const PlannedTrack& track = plan_.tracks()[k];
        PlannedEvent event{};
        for (unsigned n = 0; n < kTurn && source.step() == step && source.next(event); ++n) {
            totals.add(event, track.role, Format::chrome);
            output_.count_event();
            line_.clear();
            write_event(track, event);
            output_.write(line_.text());
        }
        return source.step() == step;
    }

    void write_event(const PlannedTrack& track, const PlannedEvent& event) {
        if (track.role == Role::steps) {
            slice("Trace", "PyTorch Profiler (" + std::to_string(event.step) + ")", track, event);
            line_ << ",\n    \"args\": {\n      \"Op count\": " << event.step << "\n    }\n  }";
        } else if (track.role == Role::operations) {
            kernel(track, event);
        } else if (event.launch) {
            launch(track, event);
        } else if (event.instant) {
            memory(track, event);
        } else {
            operation(track, event);
        }
    }

    void kernel(const PlannedTrack& track, const PlannedEvent& event) {
        const Operation& what = score_.device(track.index).operations[event.name];
        slice(what.category, what.name, track, event);
        line_ << ",\n    \"args\": {\n      \"External id\": " << event.flow / 3 << ",";
        if (what.category == "kernel") {
            const std::uint64_t draw = noise(event.name, 8);
            line_ << "\n      \"queued\": 0, \"device\": " << device(track)
                  << ", \"context\": 1,\n      \"stream\": " << stream(track) << ", \"correlation\": " << event.flow
                  << ",\n      \"registers per thread\": " << 16 + draw % 200
                  << ",\n      \"shared memory\": " << draw / 256 % 48 * 1'024 << ",\n      \"grid\": ["
                  << 1 + draw / 65'536 % 4'096 << ", 1, 1],\n      \"block\": [" << 128 * (1 + draw / 17 % 4)
                  << ", 1, 1],\n      \"est. achieved occupancy %\": " << draw % 101 << "\n    }\n  }";
        } else {
            line_ << "      \"device\": " << device(track) << ", \"context\": 1,\n      \"stream\": " << stream(track)
                  << ", \"correlation\": " << event.flow << ",\n      \"bytes\": " << what.bytes_accessed
                  << ", \"memory bandwidth (GB/s)\": ";
            line_.thousandths(what.bytes_accessed * 1'000 / (event.duration_ps / 1'000 + 1)) << "\n    }\n  }";
        }
        flow("f", ", \"bp\": \"e\"", track, event);
    }

    void launch(const PlannedTrack& track, const PlannedEvent& event) {
        slice("cuda_runtime", event.flow % 8 == 0 ? "cudaMemcpyAsync" : "cudaLaunchKernel", track, event);
        line_ << ",\n    \"args\": {\n      \"External id\": " << event.flow / 3
              << ",      \"cbid\": 211, \"correlation\": " << event.flow << "\n    }\n  }";
        flow("s", "", track, event);
    }

    void memory(const PlannedTrack& track, const PlannedEvent& event) {
        const std::uint64_t draw = noise(plan_.seed(), 9, event.start_ps);
        const std::uint64_t bytes = std::uint64_t{512} << draw % 16;
        const bool frees = draw / 16 % 2 == 1;
        if (!frees || bytes > allocated_) {
            allocated_ += bytes;
        } else {
            allocated_ -= bytes;
        }
        begin("i", "cpu_instant_event", "[memory]", ", \"s\": \"t\"");
        place(track, event.start_ps);
        line_ << ",\n    \"args\": {\n      \"Ev Idx\": " << ++index_
              << ", \"Device Type\": 1, \"Device Id\": 0, \"Addr\": " << 139'926'520'725'504 + draw / 64 % 65'536 * 512
              << ", \"Bytes\": " << (frees ? "-" : "") << bytes << ", \"Total Allocated\": " << allocated_
              << ", \"Total Reserved\": " << (allocated_ / 0x4000'0000 + 2) * 0x4000'0000 << "\n    }\n  }";
    }

    void operation(const PlannedTrack& track, const PlannedEvent& event) {
        slice("cpu_op", score_.host.operations[event.name].name, track, event);
        const std::uint64_t index = ++index_;
        line_ << ",\n    \"args\": {\n      \"External id\": " << index << ",";
        if (event.name % 4 == 0) {
            line_ << "\"Sequence number\": " << 18'000 + index / 16 << ", \"Fwd thread id\": 1, ";
        } else if (event.name % 4 == 1) {
            line_ << "\"Input Dims\": [[" << 8 + event.name
                  << ", 2048], []], \"Input type\": [\"float\", \"Scalar\"], ";
        }
        line_ << "\"Ev Idx\": " << index << "\n    }\n  }";
    }

    void flow(std::string_view phase, std::string_view more, const PlannedTrack& track, const PlannedEvent& event) {
        line_ << ",\n  {\n    \"ph\": \"" << phase << "\", \"id\": " << event.flow << ", ";
        place(track, event.start_ps);
        line_ << ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"" << more << "\n  }";
        output_.count_event();
    }

    JsonLine& begin(std::string_view phase, std::string_view category, std::string_view name, std::string_view more) {
        return line_ << (std::exchange(first_, false) ? "\n" : ",\n") << "  {\n    \"ph\": \"" << phase
                     << "\", \"cat\": \"" << category << "\"" << more << ", \"name\": \"" << name << "\", ";
    }

    void slice(std::string_view category, std::string_view name, const PlannedTrack& track, const PlannedEvent& event) {
        begin("X", category, name, "");
        place(track, event.start_ps);
        line_ << ", \"dur\": ";
        line_.thousandths(event.duration_ps / 1'000);
    }

    void place(const PlannedTrack& track, std::uint64_t time_ps) {
        track_ids(track) << ",\n    \"ts\": ";
        line_.thousandths(kStartEpochNs + time_ps / 1'000);
    }

    // Spans have texts in both places, and streams one beside the number of their device, as in real traces.
    JsonLine& track_ids(const PlannedTrack& track) {
        if (track.role == Role::steps) return line_ << "\"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\"";
        if (track.role == Role::host_thread) {
            return line_ << "\"pid\": " << kPid << ", \"tid\": " << kPid + track.index;
        }
        return line_ << "\"pid\": " << device(track) << ", \"tid\": \"stream " << stream(track) << "\"";
    }

    static std::uint64_t device(const PlannedTrack& track) { return track.index / kStreamsPerDevice; }
    static std::uint64_t stream(const PlannedTrack& track) { return kFirstStream + track.index % kStreamsPerDevice; }

    void metadata() {
        for (const PlannedProcess& process : plan_.processes()) {
            for (const std::size_t k : process.tracks) {
                const PlannedTrack& track = plan_.tracks()[k];
                line_.clear();
                if (k == process.tracks.front()) {
                    described("process_name", "name", process.name, track);
                    described("process_labels", "labels", track.role == Role::host_thread ? "CPU" : process.name,
                              track);
                }
                described("thread_name", "name", track.name, track);
                output_.write(line_.text());
            }
        }
    }

    void described(std::string_view name, std::string_view key, std::string_view value, const PlannedTrack& track) {
        line_ << (std::exchange(first_, false) ? "\n" : ",\n") << "  {\n    \"name\": \"" << name
              << "\", \"ph\": \"M\", ";
        place(track, 0);
        line_ << ",\n    \"args\": {\n      \"" << key << "\": \"" << value << "\"\n    }\n  }";
    }

    const Plan& plan_;
    Score score_;
    Output& output_;
    JsonLine line_;
    bool first_ = true;
    std::uint64_t index_ = 0;      // "Ev Idx"
    std::uint64_t allocated_ = 0;  // bytes
};

}  // namespace

Totals write_kineto(const Plan& plan, Output& output) { return KinetoWriter(plan, output).write(); }

}  // namespace tilescope::synth
