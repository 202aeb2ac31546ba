"""The command line as ``python -m sdv_prefair.cli``."""

import sys

from sdv_prefair.cli import main

sys.exit(main())
