"""Messages of model graphs, generated from `graph.proto` when the package is built, as those of `tilescope.v1` are."""

import warnings

OLD_CODE = r"Protobuf gencode version .* one major version older .* at tilescope/graph/"
warnings.filterwarnings("ignore", OLD_CODE, UserWarning)
