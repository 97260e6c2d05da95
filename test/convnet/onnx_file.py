"""Writes ONNX files, field by field (onnx.proto): what the test of examples/convnet needs.

SPDX-License-Identifier: Apache-2.0
"""
import array
import struct

FLOAT, INT64, BOOL = 1, 7, 9
CODES = {FLOAT: "f", INT64: "q", BOOL: "B"}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def tensor(name, kind, shape, values):
    raw = array.array(CODES[kind], values).tobytes()
    return b"".join(number(1, d) for d in shape) + number(2, kind) + data(8, name) + data(9, raw)


def value(name, kind, shape):
    """A ValueInfoProto; sizes that are None are not known."""
    sizes = b"".join(data(1, b"" if d is None else number(1, d)) for d in shape)
    return data(1, name) + data(2, data(1, number(1, kind) + data(2, sizes)))


def attribute(name, content):
    head = data(1, name)
    if isinstance(content, bool) or isinstance(content, int):
        return head + number(3, int(content)) + number(20, 2)
    if isinstance(content, float):
        return head + varint(2 << 3 | 5) + struct.pack("<f", content) + number(20, 1)
    if isinstance(content, str):
        return head + data(4, content) + number(20, 3)
    if isinstance(content, bytes):  # a graph
        return head + data(6, content) + number(20, 5)
    if isinstance(content, tuple):  # a tensor
        return head + data(5, tensor(*content)) + number(20, 4)
    return head + b"".join(number(8, i) for i in content) + number(20, 7)


def node(kind, inputs, outputs, **attributes):
    return (b"".join(data(1, x) for x in inputs) + b"".join(data(2, x) for x in outputs) + data(4, kind) +
            b"".join(data(5, attribute(k, v)) for k, v in attributes.items()))


def graph(nodes, constants=(), inputs=(), outputs=()):
    return (b"".join(data(1, n) for n in nodes) + data(2, "g") + b"".join(data(5, t) for t in constants) +
            b"".join(data(11, v) for v in inputs) + b"".join(data(12, v) for v in outputs))


def model(main, opset):
    return number(1, 7) + data(7, main) + data(8, data(1, "") + number(2, opset))
