// The memory that a proof may take: the containers of it that may become large count what they take.
#pragma once

#include "base/counted.hpp"

namespace tilescope {

using ProveShort = ShortOfBudget;
using ProveMemory = MemoryBudget;  // shared by all threads of a verification
using ProveCharge = BudgetCharge;

// To be made with a ProveMemory.
template <typename T>
using ProveVector = CountedVector<T>;

}  // namespace tilescope
