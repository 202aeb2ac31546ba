"""Arrow arrays with values that neither Python nor pandas can hold, or hardly."""

from decimal import Decimal

import pyarrow as pa

LARGEST, SMALLEST = 2**63 - 1, -(2**63)
TEXT = pa.string()
HUGE = Decimal(10) ** 75
ZONES = (None, 'UTC', 'Europe/Berlin', '+05:30', 'Pacific/Kiritimati')
# In each unit some of these are in the years 1 to 9999, at their ends, just beyond and far away.
STEPS = [0, LARGEST, SMALLEST, SMALLEST + 1, 1_590_000_000, 10**14, -(10**14), 10**17, None]
STEPS += [253_402_300_799, 253_402_300_800, -62_135_596_800, -62_135_596_801, 1_590_000_000_000]


def stamps(unit, zone=None, steps=STEPS):
    return pa.array(steps, pa.int64()).view(pa.timestamp(unit, zone))


def as_text(raw, kind=TEXT):
    """Return bytes as what Arrow takes for text: it does not look."""
    buffers = pa.array(raw, pa.binary()).buffers()
    return pa.Array.from_buffers(pa.string(), len(raw), buffers).cast(kind)


RAW = [b'a', b'\xff', b'2020-06-01', None, b'Zyzzyva\xe2\x82', b'\xed\xa0\x80', b'']

ARRAYS = {f'timestamp[{u}, {z}]': stamps(u, z) for u in ('s', 'ms', 'us', 'ns') for z in ZONES}
ARRAYS |= {
    'date32': pa.array([0, 2**31 - 1, -(2**31), 2_932_896, 2_932_897, 18_500, None], pa.int32())
    .view(pa.date32()),
    'date64': pa.array([0, LARGEST, SMALLEST, 86_400_001, -1, 1_590_000_000_000, None], pa.int64())
    .view(pa.date64()),
    'string': as_text(RAW),
    'large_string': as_text(RAW, pa.large_string()),
    'string_view': as_text(RAW, pa.string_view()),
    'dictionary': as_text(RAW).dictionary_encode(),
    'sliced': as_text([b'\xfe', *RAW, b'\xfe']).slice(1, len(RAW)),
    'decimal256': pa.array([HUGE, None, -HUGE, 1], pa.decimal256(76, 0)),
    'decimal128': pa.array([Decimal('9' * 36 + '.99'), None, 1], pa.decimal128(38, 2)),
    'duration[s]': pa.array([LARGEST, SMALLEST, 5, None], pa.int64()).view(pa.duration('s')),
    'duration[ns]': pa.array([LARGEST, SMALLEST, 5, None], pa.int64()).view(pa.duration('ns')),
    'time32': pa.array([2**31 - 1, 5, None, -5], pa.int32()).view(pa.time32('s')),
    'time64': pa.array([2**62, 5, None, -5], pa.int64()).view(pa.time64('us')),
    'binary': pa.array([b'a', b'\xff', None]),
    'double': pa.array([float('nan'), float('inf'), float('-inf'), 1e300, 1.0, None]),
    'list': pa.ListArray.from_arrays([0, 1, 2], as_text(RAW[:2])),
    'struct': pa.StructArray.from_arrays([as_text(RAW[:2])], ['x']),
    'list of moments': pa.ListArray.from_arrays([0, 1, 2], stamps('s', steps=[0, LARGEST])),
}  # fmt: skip
