"""Messages of profiler servers, generated from `profiler.proto` when the package is built."""

import warnings

OLD_CODE = r"Protobuf gencode version .* one major version older .* at tilescope/profiler/"
warnings.filterwarnings("ignore", OLD_CODE, UserWarning)
