"""All models, in the order in which the manifest lists them."""

from __future__ import annotations

from tests.conformance.generator.animation_models import ANIMATION_MODELS
from tests.conformance.generator.hierarchy_models import HIERARCHY_MODELS
from tests.conformance.generator.model import Model
from tests.conformance.generator.storage_models import STORAGE_MODELS
from tests.conformance.generator.transform_models import TRANSFORM_MODELS
from tests.conformance.generator.weight_models import WEIGHT_MODELS

MODELS: tuple[Model, ...] = (
    *STORAGE_MODELS,
    *HIERARCHY_MODELS,
    *TRANSFORM_MODELS,
    *ANIMATION_MODELS,
    *WEIGHT_MODELS,
)
