// The names and constant arguments that synthetic events carry, in the manner of XLA and of a training loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::synth {

struct Operation {
    std::string name;       // "fusion.12"
    std::string long_name;  // "%fusion.12 = bf16[128,1024]{1,0} fusion(…)"
    std::string category;   // hlo_category
    std::string shape;
    std::string scope;      // tf_op: the path of the operation in the model
    std::uint64_t flops = 0;
    std::uint64_t bytes_accessed = 0;
    std::string source;        // where it is from in the model's code; empty: not known
    std::string source_stack;  // the same with its callers, a line each
};

struct Vocabulary {
    std::vector<Operation> operations;  // leaves first, then those that have children
    std::uint32_t leaves;

    std::uint32_t parents() const { return static_cast<std::uint32_t>(operations.size()) - leaves; }
};

Vocabulary device_vocabulary(std::uint64_t seed);
Vocabulary async_vocabulary(std::uint64_t seed);
Vocabulary host_vocabulary();

// A fourth of a large program: 10,000 operations with long expressions, called as in no other stage.
Vocabulary stage_vocabulary(std::uint64_t seed, std::uint64_t stage);
// The names of PyTorch's traces: kernels of CUDA on streams, operators on threads.
Vocabulary kernel_vocabulary(std::uint64_t seed);
Vocabulary torch_vocabulary(std::uint64_t seed);

}  // namespace tilescope::synth
