"""The properties of a ``FairnessReport``: what is measured, scored and plotted."""

from sdv_prefair.metrics.properties._group_rates_property import GroupRates
from sdv_prefair.metrics.properties._independence_property import ConditionalIndependence
from sdv_prefair.metrics.properties._quality_property import Quality
from sdv_prefair.metrics.properties._rates_given_property import RatesGiven
from sdv_prefair.metrics.properties._role_property import RoleProperty, Settings

__all__ = [
    'ConditionalIndependence',
    'GroupRates',
    'Quality',
    'RatesGiven',
    'RoleProperty',
    'Settings',
]
