"""Encoding rows as integer codes, and decoding them, with nothing learnt from the rows."""
