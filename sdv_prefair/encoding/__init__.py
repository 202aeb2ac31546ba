"""From a table's rows to integer codes and back, with nothing learnt from the rows."""
