// The events of one track, one after the other, in the order of their starts.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/names.hpp"
#include "synth/plan.hpp"
#include "synth/program.hpp"

namespace tilescope::synth {

// Programs and vocabularies, which all tracks share.
struct Score {
    explicit Score(const Plan& plan);

    std::vector<Vocabulary> devices;  // stages of a pipeline, which devices have by turns; at least one
    Vocabulary async;
    Vocabulary host;
    std::vector<Program> device_programs;
    Program async_program;
    Program host_program;

    const Vocabulary& device(std::uint64_t index) const { return devices[index % devices.size()]; }
    const Program& program(const PlannedTrack& track) const;
};

enum class FlowSide { none, out, in };

struct PlannedEvent {
    std::uint64_t start_ps;     // since the start of the recording
    std::uint64_t duration_ps;  // 0: a sample, an instant or a slice of no length
    std::uint64_t step;
    std::uint32_t name;   // operations and host events: into the vocabulary; modules: which of the step
    bool instant;         // meant as an instant where the format has them
    bool launch;          // the call that launches a kernel
    FlowSide flow_side;
    std::uint64_t flow;   // its id
    std::int64_t value;   // counter samples, in thousandths
};

class TrackEvents {
  public:
    // `quantum_ps`: all starts and ends are multiples of it, rounded down, which keeps the nesting.
    TrackEvents(const Plan& plan, const Score& score, const PlannedTrack& track, std::uint64_t quantum_ps);

    // False, and `event` unchanged, after the last one.
    bool next(PlannedEvent& event);

    // The step of the event that `next` gives; the number of all steps at the end.
    std::uint64_t step() const { return step_; }

  private:
    bool enter_step();
    void enter_repetition();
    Window window() const;
    void from_program(PlannedEvent& event);
    void on_host(PlannedEvent& event, bool leaf, bool empty, std::uint64_t draw) const;
    void sample(PlannedEvent& event);

    const Plan& plan_;
    const Score& score_;
    const PlannedTrack& track_;
    std::uint64_t quantum_ps_;

    std::uint64_t step_ = 0;
    std::uint64_t in_step_ = 0;   // events of this step
    std::uint64_t place_ = 0;     // of the next event among them
    Window window_{};             // in which the track is busy during this step

    // Programs are repeated within a step as often as needed.
    std::uint64_t repetitions_ = 0;
    std::uint64_t repetition_ = 0;
    std::uint64_t in_repetition_ = 0;
    std::uint64_t node_ = 0;
    Window repetition_window_{};
    std::int64_t level_ = 50'000;  // of a counter
};

}  // namespace tilescope::synth
