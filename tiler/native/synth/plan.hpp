// Which processes and tracks a synthetic trace has, when its steps are, and how many events each track gets.
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

// Where a launch on a host thread and a module on a device meet. Ids are above 0.
struct Flow {
    std::uint64_t thread;
    std::uint64_t slot;  // the launching event's place among the thread's events of the step
    std::uint64_t id;
};

class Plan {
  public:
    explicit Plan(const Request& request);

    Format format() const { return request_.format; }
    std::uint64_t seed() const { return request_.seed; }
    std::uint64_t steps() const { return steps_.size(); }
    const Window& step(std::uint64_t k) const { return steps_[k]; }
    bool flows() const { return flows_; }

    const std::vector<PlannedProcess>& processes() const { return processes_; }
    const std::vector<PlannedTrack>& tracks() const { return tracks_; }

    // Host threads launch what devices execute. Meaningless unless `flows()`.
    Flow flow_of_module(std::uint64_t device, std::uint64_t step, std::uint64_t module) const;
    // The id of the flow that starts at this event of a host thread, 0 for none.
    std::uint64_t flow_of_launch(std::uint64_t thread, std::uint64_t step, std::uint64_t slot) const;

  private:
    void lay_out();
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
    bool flows_ = false;
};

}  // namespace tilescope::synth
