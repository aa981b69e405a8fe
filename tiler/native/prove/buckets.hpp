// Buckets of durations, by docs/page-format.md.
#pragma once

#include <cstdint>

namespace tilescope {

int64_t prove_bucket(int64_t duration);

}  // namespace tilescope
