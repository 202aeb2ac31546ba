"""From exact counts to noisy measurements: one file for each mechanism."""
