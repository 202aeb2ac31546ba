"""The synthesizer: SDV's interface, the pipeline behind every way to fit, and inspection."""

from sdv_prefair.synthesizer._face import PreFairSynthesizer

__all__ = ['PreFairSynthesizer']
