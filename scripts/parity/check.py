"""Reloads every fixture (or the named ones) and lists its tensors and metadata."""

import glob
import os
import sys

import st_io

for path in sys.argv[1:] or sorted(glob.glob(os.path.join(st_io.FIXTURES, "*.safetensors"))):
    tensors, meta = st_io.load(path)
    print(f"{os.path.basename(path)}: {len(tensors)} tensors, {os.path.getsize(path)} bytes")
    for k in sorted(meta):
        print(f"  [{k}] {meta[k]}")
    for k in sorted(tensors):
        print(f"  {k} {tensors[k].dtype} {list(tensors[k].shape)}")
