"""The messages and the service of the gRPC API: generated from `tiles.proto` when the package is built.

They are generated for the oldest protobuf that may run, and run with all newer ones. protobuf 6.30 and 6.31 warn of that,
and later ones no longer do: nobody who imports this can do anything about it, so that the warning is left out for these files.
"""

import warnings

warnings.filterwarnings("ignore", r"Protobuf gencode version .* one major version older .* at tilescope/v1/", UserWarning)
