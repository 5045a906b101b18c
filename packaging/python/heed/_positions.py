# SPDX-License-Identifier: MIT
"""Positions: rotary, sines and cosines, tables."""
import numpy as np

from . import _declarations as d
from ._errors import check
from ._library import c
from ._plans import enumerator, real, rotary_plan, whole
from ._ranges import outside
from ._signatures import members_of
from ._views import (aligned, dense, fitting, floats, integers, mutable_matrix, mutable_tensor, optional_integers,
                     output, tensor)


class Rotary:
    """Keywords are members of heed_rotary_config; with a max_position there is a table."""

    @members_of(d.RotaryConfig)
    def __init__(self, **config):
        self.plan = rotary_plan(**config)
        self._struct = d.Rotary(self.plan._struct, None)
        self._table = aligned(self.plan.bytes) if self.plan.bytes else None
        if self._table is not None:
            check(c.heed_make_rotary_table(self.plan._struct, self._table.ctypes.data, self._table.size, self._struct),
                  "make_rotary_table")

    def __call__(self, x, positions=None, first_positions=None, out=None):
        """Rotates x [batch, heads, tokens, head_dim]; `out` may be x. positions [batch, tokens], or first_positions
        [batch]; from 0 on without either."""
        given = optional_integers(positions, "positions")
        first = optional_integers(first_positions, "first_positions")
        floats(x, (None, None, None, self.plan.config.head_dim), "x")
        batch, heads, tokens, _ = x.shape
        where = d.RotaryPositions(batch, heads, tokens, fitting(given, (batch, tokens), "positions"),
                                  fitting(first, (batch,), "first_positions"))
        result = floats(out, x.shape, "out", writeable=True) if out is x else output(out, x.shape, "out", (x,))
        check(c.heed_apply_rotary(self._struct, where, tensor(x), mutable_tensor(result)), "apply_rotary")
        return result


def _rows(x):
    floats(x, (None, None), "x", writeable=True)
    return mutable_matrix(x[np.newaxis])


def add_sinusoidal_positions(x, first_position=0, layout="interleaved", base=10000.0):
    """To x [rows, dim], in place."""
    first_position, base = whole(first_position, "first_position"), real(base, "base")
    layout = enumerator(d.SinusoidLayout, layout, "layout")
    view = _rows(x)
    check(c.heed_add_sinusoidal_positions(view, *x.shape, first_position, layout, base), "add_sinusoidal_positions")
    return x


def add_learned_positions(table, x, first_position=0):
    """Row first_position + r of table [positions, dim] to row r of x [rows, dim], in place."""
    first_position = whole(first_position, "first_position")
    view = _rows(x)
    dense(table, (None, x.shape[1]), "table")
    end = first_position + x.shape[0]
    check(c.heed_add_learned_positions(table.ctypes.data, table.size, view, *x.shape, first_position),
          "add_learned_positions", lambda: outside("first_position + rows", end, 1, table.shape[0]))
    return x


def embedding_lookup(table, tokens, out=None):
    """Rows of table [vocabulary, dim] for tokens [count]."""
    ids = integers(tokens, (None,), "tokens")
    dense(table, (None, None), "table")
    result = output(out, (ids.size, table.shape[1]), "out", (table,))
    check(c.heed_embedding_lookup(table.ctypes.data, table.size, table.shape[1], ids.ctypes.data, ids.size,
                                  mutable_matrix(result[np.newaxis])), "embedding_lookup",
          lambda: outside("tokens", ids, 0, table.shape[0] - 1))
    return result
