"""The messages and the service of the gRPC API: generated from `tiles.proto` when the package is built.

They are generated for the oldest protobuf that may run, and run with all newer ones. protobuf 6.30 and 6.31 warn of
that, and nobody who imports this can do anything about it: the warning is left out for these files.
"""

import warnings

OLD_CODE = r"Protobuf gencode version .* one major version older .* at tilescope/v1/"
warnings.filterwarnings("ignore", OLD_CODE, UserWarning)
