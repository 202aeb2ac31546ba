"""How single values are read and written: dtypes and timestamps, each row by itself."""
