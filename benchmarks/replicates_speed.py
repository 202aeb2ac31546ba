"""What replicates cost beside trees: processor seconds, so that other load counts little.

python benchmarks/replicates_speed.py [--data FOLDER] [--number N] [--out FOLDER]
"""

import argparse
import time
import warnings
from pathlib import Path

import pandas as pd
from compared import markdown
from results_file import commit

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import load_adult
from sdv_prefair.inference import replicate

DATA = Path(__file__).resolve().parents[2] / 'shared' / 'data'


def main() -> None:
    """Fit Adult as a tree and with the default, replicate both, and write the ratio."""
    warnings.simplefilter('ignore')
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--number', type=int, default=50)
    parser.add_argument('--out', type=Path, default=Path(__file__).parent / 'results')
    options = parser.parse_args()
    adult, lines = load_adult(options.data), []
    for epsilon in (0.1, 1.0, 10.0):
        (fit, tree), (_, default) = (
            _seconds(adult, epsilon, structure, options.number)
            for structure in ('adaptive', 'planned')
        )
        lines.append({
            'epsilon': epsilon, 'fit of a tree': f'{fit:.2f}', 'replicate of a tree': f'{tree:.2f}',
            'replicate of the default': f'{default:.2f}',
            'times a fit of a tree': f'{default / fit:.1f}',
            'times a replicate of a tree': f'{default / tree:.1f}',
        })  # fmt: skip
    page = (
        '# What a replicate costs\n\n'
        f'Made by `python benchmarks/replicates_speed.py` at commit {commit()}: processor seconds '
        f'for one replicate of Adult, the mean of {options.number} with the one fit that they '
        "start from, for a tree (`structure='adaptive'`) and for the default, beside those for a "
        'whole fit of a tree to the same rows. Two threads share them.\n\n'
    )
    (options.out / 'replicates.md').write_text(page + markdown(pd.DataFrame(lines)) + '\n')


def _seconds(adult, epsilon: float, structure: str, number: int) -> tuple[float, float]:
    """Return the seconds of a fit and of a replicate."""
    synthesizer = PreFairSynthesizer(
        adult.metadata, epsilon=epsilon, structure=structure, public_ranges=True,
        **adult.roles.as_dict(),
    )  # fmt: skip
    start = time.process_time()
    synthesizer.fit(adult.data)
    fitted = time.process_time()
    replicate(synthesizer.fitted, number, seed=0)
    return fitted - start, (time.process_time() - fitted) / number


if __name__ == '__main__':
    main()
