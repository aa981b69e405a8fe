"""Messages of HLO protos, generated from `hlo.proto` when the package is built, as those of `tilescope.v1` are."""

import warnings

OLD_CODE = r"Protobuf gencode version .* one major version older .* at tilescope/hlo/"
warnings.filterwarnings("ignore", OLD_CODE, UserWarning)
