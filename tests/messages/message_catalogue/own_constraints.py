"""Constraints that users write, each wrong in a way of its own."""

from sdv.cag import SingleTableProgrammableConstraint
from sdv.cag.base import BaseConstraint


class Named(SingleTableProgrammableConstraint):
    """Turns every row down; names its columns."""

    column_names = ('x', 'y')

    def is_valid(self, data):
        return data['x'] < data['x']


class OneVerdict(Named):
    def is_valid(self, data):
        return True


class Nameless(Named):
    column_names = None


class Misnamed(Named):
    column_names = ('x', 'zip')


class Curious(Named):
    def is_valid(self, data):
        return data['o'] > 0


class Learning(Named):
    def fit(self, data, metadata):
        self.largest = data['x'].max()


class RowWise(Named):
    """Keeps the columns as they are."""

    row_wise = True

    def get_updated_metadata(self, metadata):
        return metadata

    def transform(self, data):
        return data

    def reverse_transform(self, data):
        return data

    def is_valid(self, data):
        return data['x'] == data['x']


class Keyed(RowWise):
    column_names = ('key', 'x')


class Dropping(RowWise):
    def get_updated_metadata(self, metadata):
        metadata.remove_column('o')
        return metadata


class Unmodelled(RowWise):
    def get_updated_metadata(self, metadata):
        metadata.update_column('x', sdtype='id')
        return metadata


class Centred(RowWise):
    def transform(self, data):
        return data.assign(x=data['x'] - data['x'].mean())


class Failing(RowWise):
    def transform(self, data):
        raise ValueError(f'it quotes {data}')


class Unknown(BaseConstraint):
    pass
