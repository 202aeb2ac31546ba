"""Parsing and formatting single values: dtypes and timestamps, each row on its own."""
