"""What every section of the settings is."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A frozen section; a key it does not know is an error."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True
    )
