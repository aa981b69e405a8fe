"""`python -m tilescope` is the same as `tilescope`."""

import sys

from tilescope.cli import main

sys.exit(main())
