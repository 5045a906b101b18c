# SPDX-License-Identifier: MIT
"""numpy arrays as the library takes them: where they lie, with their strides, and never a copy of a float."""
import ctypes

import numpy as np

from . import _declarations as d

ALIGNMENT = d.CONSTANTS["HEED_ARENA_ALIGNMENT"]


def aligned(count, zeros=False):
    """uint8 [count] on a 64-byte boundary."""
    room = (np.zeros if zeros else np.empty)(count + ALIGNMENT, np.uint8)
    begin = -room.ctypes.data % ALIGNMENT
    return room[begin:begin + count]


def memory(given, count, what):
    """The caller's memory, whose size and boundary the library checks, or one of `count` bytes."""
    if given is None:
        return aligned(count)
    octets(given, what)
    if not given.flags.writeable:
        raise ValueError(f"{what}: the array is read-only")
    return given


def octets(array, what):
    """uint8 of one dimension, which may be read-only."""
    require_array(array, np.uint8, what)
    if array.ndim != 1 or not array.flags.c_contiguous:
        raise ValueError(f"{what}: a contiguous array of one dimension is needed")
    return array


def require_array(array, dtype, what):
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{what}: a numpy array is needed, not {type(array).__name__}")
    if array.dtype != np.dtype(dtype):
        raise TypeError(f"{what}: {np.dtype(dtype).name} is needed, not {array.dtype}")


def require_shape(array, shape, what):
    """None in `shape` is any length."""
    fits = array.ndim == len(shape) and all(n in (None, m) for n, m in zip(shape, array.shape))
    if not fits:
        words = ", ".join("any" if n is None else str(n) for n in shape)
        raise ValueError(f"{what}: the shape [{words}] is needed, not {list(array.shape)}")
    if any(n >= 2**32 for n in array.shape):
        raise ValueError(f"{what}: {list(array.shape)} is beyond the 32 bits of a count")


def floats(array, shape, what, writeable=False):
    """Checks a float32 array whose last dimension is contiguous."""
    require_array(array, np.float32, what)
    require_shape(array, shape, what)
    if array.shape and array.shape[-1] > 1 and array.strides[-1] != 4:
        raise ValueError(f"{what}: the last dimension is not contiguous; its stride is {array.strides[-1]} bytes")
    if not array.flags.aligned or any(stride % 4 for stride in array.strides):
        raise ValueError(f"{what}: the floats are not aligned")
    if writeable and not array.flags.writeable:
        raise ValueError(f"{what}: the array is read-only")
    return array


def address(array):
    return None if array is None else array.ctypes.data


def _view(kind, array):
    return kind(array.ctypes.data, *(stride // 4 for stride in array.strides[:-1]))


def dense(array, shape, what, writeable=False):
    """Floats that lie one after the other."""
    floats(array, shape, what, writeable)
    if not array.flags.c_contiguous:
        raise ValueError(f"{what}: the array is not contiguous")
    return array


def tensor(array):
    """[batch, heads, rows, dim], already checked."""
    return _view(d.ConstTensor, array)


def mutable_tensor(array):
    return _view(d.MutableTensor, array)


def matrix(array):
    """[batch, rows, dim], already checked."""
    return _view(d.ConstMatrix, array)


def mutable_matrix(array):
    return _view(d.MutableMatrix, array)


def require_apart(output, inputs, what):
    """An output that the caller gave shares no element with an input."""
    for array in inputs:
        if array is None:
            continue
        try:
            shared = np.shares_memory(output, array, max_work=100000)
        except np.TooHardError:
            shared = True
        if shared:
            raise ValueError(f"{what}: the array overlaps an input")


def output(given, shape, what, inputs=()):
    """The caller's array, checked, or a new one."""
    if given is None:
        return np.empty(shape, np.float32)
    floats(given, shape, what, writeable=True)
    require_apart(given, inputs, what)
    return given


def integers(values, shape, what, dtype=np.uint32):
    """A copy of whole numbers as the library has them: of a list, or of an array of any integers. Sizes follow from
    them, so that nobody else may change them during a call."""
    array = np.asarray(values)
    if isinstance(values, np.ma.MaskedArray) or array.dtype.kind not in "iu":
        raise TypeError(f"{what}: whole numbers are needed, not {array.dtype}")
    if shape is not None:
        require_shape(array, shape, what)
    info = np.iinfo(dtype)
    if array.size and (int(array.min()) < info.min or int(array.max()) > info.max):
        raise ValueError(f"{what}: a number lies outside {info.min} to {info.max}")
    return np.array(array, dtype, order="C")


def optional_integers(values, what, dtype=np.uint32):
    """Of any shape, which fitting() compares once the sizes of a call are known."""
    return None if values is None else integers(values, None, what, dtype)


def fitting(array, shape, what):
    """The address of an array that has been converted, after a look at its shape; None for None."""
    if array is None:
        return None
    require_shape(array, shape, what)
    return array.ctypes.data


def byref(struct):
    return None if struct is None else ctypes.byref(struct)
