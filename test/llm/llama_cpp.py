"""llama.cpp as installed software: its libraries of the unpacked packages, called through oracle.c.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes as C
import pathlib
import platform

import numpy as np


class Llama:
    """The libraries. tree: the unpacked packages, shim: oracle.c as a shared library."""

    def __init__(self, tree, shim):
        libraries = pathlib.Path(tree) / f"usr/lib/{platform.machine()}-linux-gnu"
        for name in ("libggml-base.so.0", "libggml.so.0", "libllama.so.0"):
            C.CDLL(str(libraries / name), mode=C.RTLD_GLOBAL)
        self.calls = C.CDLL(str(shim))
        self.calls.oracle_open.restype = C.c_void_p
        self.calls.oracle_start(str(libraries / "ggml/backends0").encode())

    def open(self, path, vocabulary_only=False):
        model = self.calls.oracle_open(str(path).encode(), int(vocabulary_only))
        if model is None:
            raise RuntimeError(f"llama.cpp refuses {path}")
        return Model(self.calls, model)


class Model:
    def __init__(self, calls, model):
        self.calls, self.model = calls, C.c_void_p(model)
        self.vocabulary = calls.oracle_vocabulary(self.model)

    def close(self):
        self.calls.oracle_close(self.model)

    def tokens(self, text, ends, specials):
        to = np.zeros(len(text) + 16, np.int32)
        count = self.calls.oracle_tokenize(self.model, text, len(text), int(ends), int(specials),
                                           to.ctypes.data_as(C.c_void_p), len(to))
        assert count >= 0
        return to[:count].tolist()

    def piece(self, token):
        to = C.create_string_buffer(256)
        size = self.calls.oracle_piece(self.model, token, to, len(to))
        assert size >= 0
        return to.raw[:size]

    def logits(self, tokens, context, f32_cache=True):
        tokens = np.asarray(tokens, np.int32)
        to = np.zeros((len(tokens), self.vocabulary), np.float32)
        status = self.calls.oracle_logits(self.model, tokens.ctypes.data_as(C.c_void_p), len(tokens), context,
                                          int(f32_cache), to.ctypes.data_as(C.c_void_p))
        assert status == 0, status
        return to
