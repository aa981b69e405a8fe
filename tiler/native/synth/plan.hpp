// The plan of a synthetic trace: its processes and tracks, when its steps are, and how many events each track gets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::synth {

enum class Format { xspace, chrome };

enum class Role { steps, modules, operations, async_operations, counter, host_thread };

constexpr std::uint64_t kModulesPerStep = 2;
constexpr std::uint64_t kStartEpochNs = 1'767'225'600'000'000'000u;  // 2026-01-01T00:00:00Z
// Offsets leave the first nanoseconds of a recording empty, as real recordings do.
constexpr std::uint64_t kFirstStepPs = 5'000'000'000u;

struct Request {
    Format format;
    std::uint64_t events;  // as written in the file, metadata aside
    std::uint64_t tracks;
    std::uint64_t seed;
    bool realistic;  // as large programs of many operations are recorded, instead of small ones
};

struct PlannedTrack {
    Role role;
    std::uint32_t process;
    std::string name;
    std::uint64_t index;    // among the devices, or among the host threads
    std::uint64_t entries;  // slices, instants or samples; flow ends and the ends of async slices are not in it
};

struct PlannedProcess {
    std::string name;
    std::vector<std::size_t> tracks;
};

struct Window {
    std::uint64_t begin_ps;
    std::uint64_t end_ps;
};

// A point at which a launch on a host thread and a module on a device meet. Ids are above 0.
struct Flow {
    std::uint64_t thread;
    std::uint64_t slot;  // the launching event's place among the thread's events of the step
    std::uint64_t id;
};

constexpr std::uint64_t kStreamsPerDevice = 8;
constexpr std::uint64_t kFirstStream = 7;

// The distribution of the kernels of PyTorch's traces: as many on every stream in every step, each launched by its
// thread.
struct Kernels {
    std::uint64_t streams = 0;
    std::uint64_t per_step = 0;  // on one stream; 0: there are none
};

class Plan {
  public:
    explicit Plan(const Request& request);

    Format format() const { return request_.format; }
    std::uint64_t seed() const { return request_.seed; }
    std::uint64_t steps() const { return steps_.size(); }
    const Window& step(std::uint64_t k) const { return steps_[k]; }
    bool flows() const { return flows_; }
    bool realistic() const { return request_.realistic; }
    // JSON as PyTorch writes it: streams and threads instead of the lines of an accelerator.
    bool kineto() const { return realistic() && format() == Format::chrome; }

    const std::vector<PlannedProcess>& processes() const { return processes_; }
    const std::vector<PlannedTrack>& tracks() const { return tracks_; }

    std::uint64_t entries_in_step(const PlannedTrack& track, std::uint64_t step) const;

    // Host threads launch what devices execute. Meaningless unless `flows()`.
    Flow flow_of_module(std::uint64_t device, std::uint64_t step, std::uint64_t module) const;
    // The id of the flow that starts at this event of a host thread, 0 for none.
    std::uint64_t flow_of_launch(std::uint64_t thread, std::uint64_t step, std::uint64_t slot) const;

    // The same of PyTorch: kernel `place` of a stream's step, and launch `place` of a thread's.
    std::uint64_t flow_of_kernel(std::uint64_t stream, std::uint64_t step, std::uint64_t place) const;
    std::uint64_t flow_of_kernel_launch(std::uint64_t thread, std::uint64_t step, std::uint64_t place) const;
    std::uint64_t kernel_launches_per_step(std::uint64_t thread) const;

  private:
    void lay_out();
    void lay_out_kineto();
    void deal_out_kineto();
    std::uint64_t fixed_cost(std::uint64_t steps) const;
    void deal_out(std::uint64_t steps);
    bool launches_fit(std::uint64_t steps) const;
    void place_steps(std::uint64_t steps);
    std::uint64_t count(Role role) const;
    std::uint64_t launches_per_step(std::uint64_t thread) const;

    Request request_;
    std::vector<PlannedProcess> processes_;
    std::vector<PlannedTrack> tracks_;
    std::vector<Window> steps_;
    std::uint64_t modules_ = 0;  // tracks with modules
    std::uint64_t threads_ = 0;
    Kernels kernels_;
    bool flows_ = false;
};

}  // namespace tilescope::synth
