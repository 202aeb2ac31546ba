"""The pictures in the README and the docs: `make pictures`. Needs kaleido and a browser.

The graphs are those of two fits of the simulated census, fitted anew each time. The figures of the
paper's experiments are drawn by benchmarks/paper_results.py from its committed results.
"""

from pathlib import Path

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import simulate_census
from sdv_prefair.selection import DEFAULT_STRUCTURE

FOLDER = Path(__file__).parent / 'pictures'
TREES = {
    'unfair_tree': ('none', 'Plain MST: sex and race reach income past the admissible columns'),
    'fair_tree': (
        DEFAULT_STRUCTURE,
        'PreFair: every path to income passes through an admissible column',
    ),
}


def main() -> None:
    """Fit with and without fairness and draw both graphs."""
    FOLDER.mkdir(exist_ok=True)
    census = simulate_census(20_000, seed=7)
    for name, (structure, title) in TREES.items():
        synthesizer = PreFairSynthesizer(
            census.metadata, structure=structure, public_ranges=True, **census.roles.as_dict()
        )
        synthesizer.fit(census.data)
        figure = synthesizer.visualize().update_layout(title_text=title)
        figure.write_image(FOLDER / f'{name}.png', scale=1.5)


if __name__ == '__main__':
    main()
