"""From exact counts to noisy measurements: one page for each mechanism."""
