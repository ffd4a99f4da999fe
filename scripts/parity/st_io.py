"""Reads and writes the safetensors format with nothing but numpy."""

import json
import os
import struct

import numpy as np

FIXTURES = os.path.normpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "fixtures"))

_NAMES = {"float64": "F64", "float32": "F32", "int64": "I64", "int32": "I32"}
_DTYPES = {v: np.dtype(k).newbyteorder("<") for k, v in _NAMES.items()}


def save(file_name, tensors, metadata):
    """Writes {name: array} and {key: text} to tests/fixtures/<file_name>.

    Wider types come first, so that every tensor is aligned to its own size.
    """
    arrays = {k: np.asarray(v, order="C") for k, v in tensors.items()}
    header = {"__metadata__": {k: metadata[k] for k in sorted(metadata)}}
    assert all(isinstance(v, str) for v in metadata.values())
    order = sorted(arrays, key=lambda k: (-arrays[k].dtype.itemsize, k))
    offset = 0
    for name in order:
        a = arrays[name]
        header[name] = {"dtype": _NAMES[a.dtype.name], "shape": list(a.shape),
                        "data_offsets": [offset, offset + a.nbytes]}
        offset += a.nbytes
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % 8)
    os.makedirs(FIXTURES, exist_ok=True)
    path = os.path.join(FIXTURES, file_name)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)))
        f.write(text)
        for name in order:
            a = arrays[name]
            f.write(a.astype(_DTYPES[_NAMES[a.dtype.name]]).tobytes())
    back, meta = load(path)
    assert meta == header["__metadata__"] and set(back) == set(arrays)
    for name, a in arrays.items():
        assert back[name].dtype == a.dtype and back[name].shape == a.shape, name
        assert np.array_equal(back[name], a) and np.isfinite(a).all(), name
    print(f"wrote tests/fixtures/{file_name}: {len(arrays)} tensors, {os.path.getsize(path)} bytes")


def load(path):
    """Returns ({name: array}, {key: text}) and checks the layout."""
    with open(path, "rb") as f:
        (n,) = struct.unpack("<Q", f.read(8))
        header = json.loads(f.read(n))
        data = f.read()
    meta = header.pop("__metadata__", {})
    tensors, end = {}, 0
    for name, e in sorted(header.items(), key=lambda kv: kv[1]["data_offsets"]):
        begin, stop = e["data_offsets"]
        dtype = _DTYPES[e["dtype"]]
        assert begin == end or begin == stop, name
        assert begin % dtype.itemsize == 0, name
        a = np.frombuffer(data[begin:stop], dtype=dtype).reshape(e["shape"])
        tensors[name] = a.astype(dtype.newbyteorder("="))
        end = stop
    assert end == len(data), "trailing bytes"
    return tensors, meta
