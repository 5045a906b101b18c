# SPDX-License-Identifier: MIT
"""What a layer's call says of its batch entries."""
from . import _declarations as d
from ._attention import with_batch
from ._views import fitting, floats, matrix, optional_integers


class Entries:
    """What a call says of its batch entries, converted; inputs() runs no code of the caller's."""

    lengths, causal, causal_offset, scale = None, d.Causal.none, 0, 0.0

    def __init__(self, layer, sequence_ids, page_table, past_lengths, positions):
        self.ids = optional_integers(sequence_ids, "sequence_ids")
        self.pages = optional_integers(page_table, "page_table")
        self.past = optional_integers(past_lengths, "past_lengths")
        self.positions = optional_integers(positions, "positions")
        if self.positions is not None and layer._rotary is None:
            raise ValueError("positions go with a Rotary")
        if self.pages is None and self.past is not None:
            raise ValueError("past_lengths go with a page_table")
        if self.pages is not None and self.ids is not None:
            raise ValueError("sequence_ids mean nothing beside a page_table")
        self._max_pages = layer.plan._struct.config.max_pages

    def inputs(self, x, width):
        """(the struct, batch, tokens) for x [batch, tokens, width]."""
        x = floats(with_batch(x, 3, "x"), (None, None, width), "x")
        batch, tokens, _ = x.shape
        if batch == 0:
            raise ValueError("x: the batch has no entry")
        inputs = d.MultiHeadInputs(batch=batch, tokens=tokens, input=matrix(x), causal=self.causal,
                                   causal_offset=self.causal_offset, scale=self.scale)
        inputs.sequence_ids = fitting(self.ids, (batch,), "sequence_ids")
        inputs.page_table = fitting(self.pages, (batch, self._max_pages), "page_table")
        inputs.past_lengths = fitting(self.past, (batch,), "past_lengths")
        inputs.key_lengths = fitting(self.lengths, (batch,), "key_lengths")
        return inputs, batch, tokens
