"""Makes the catalogue of messages importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
