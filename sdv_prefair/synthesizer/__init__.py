"""The synthesizer: SDV's interface, the pipeline behind every way to fit, and inspection."""

from sdv_prefair.synthesizer.face import PreFairSynthesizer

__all__ = ['PreFairSynthesizer']
