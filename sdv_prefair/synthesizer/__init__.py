"""The synthesizer: SDV's face, the pipeline behind every way to fit, and what it shows."""

from sdv_prefair.synthesizer.face import PreFairSynthesizer

__all__ = ['PreFairSynthesizer']
