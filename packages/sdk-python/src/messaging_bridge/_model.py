from __future__ import annotations

from functools import cache
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, field_validator


class Model(BaseModel):
    """What the service says, or is told. A newer service may say more: what is not known here is kept as it came."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    @field_validator("*", mode="wrap")
    @classmethod
    def _or_as_it_came(cls, value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError as error:
            kinds = {one["type"] for one in error.errors(include_input=False, include_url=False)}
            if kinds == {"literal_error"}:
                return value
            raise


@cache
def event_types() -> dict[str, type[Model]]:
    """The class of each type of event."""
    named = [one for one in Model.__subclasses__() if "event" in one.model_fields]
    kinds = [(get_args(one.model_fields["event"].annotation), one) for one in named]
    return {kind[0]: one for kind, one in kinds if kind and isinstance(kind[0], str)}


def event_in(value: Any) -> Model:
    """An event as what its type says; one of a newer service as a `Model` with the same fields."""
    if isinstance(value, Model):
        return value
    if not isinstance(value, dict) or not isinstance(value.get("event"), str):
        raise ValueError("this is no event")
    return event_types().get(value["event"], Model).model_validate(value)
