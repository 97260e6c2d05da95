"""Cases of operators for the test of examples/convnet: in each model many nodes that do not depend on each other.

SPDX-License-Identifier: Apache-2.0
"""
import math
import random

import onnx_file as onnx


class Input:
    """An operand that is given to a run."""

    def __init__(self, *shape, least=-2.0, most=2.0):
        self.shape, self.least, self.most = shape, least, most


class Const(Input):
    """An operand that is in the file."""


class Model:
    def __init__(self, opset):
        self.opset, self.nodes, self.constants, self.inputs, self.outputs = opset, [], [], {}, []
        self.what, self.hidden = [], []  # of each output, and of those that are hidden
        self.random = random.Random(opset)

    def operand(self, x):
        if x is None:
            return ""
        name = f"x{len(self.constants) + len(self.inputs)}"
        if isinstance(x, list):
            self.constants.append(onnx.tensor(name, onnx.INT64, [len(x)], x))
        elif isinstance(x, float):
            self.constants.append(onnx.tensor(name, onnx.FLOAT, [], [x]))
        elif isinstance(x, int):
            self.constants.append(onnx.tensor(name, onnx.INT64, [], [x]))
        elif isinstance(x, tuple):
            self.constants.append(onnx.tensor(name, onnx.FLOAT, [len(x)], x))
        elif isinstance(x, str):
            return x
        else:
            values = [self.random.uniform(x.least, x.most) for _ in range(math.prod(x.shape))]
            if isinstance(x, Const):
                self.constants.append(onnx.tensor(name, onnx.FLOAT, x.shape, values))
            else:
                self.inputs[name] = (x.shape, values)
        return name

    def add(self, kind, *operands, outputs=1, type=onnx.FLOAT, **attributes):
        """The names of its results, which the model has as outputs."""
        names = [f"y{len(self.outputs) + i}" for i in range(outputs)]
        self.nodes.append(onnx.node(kind, [self.operand(x) for x in operands], names, **attributes))
        for name in names:
            self.outputs.append((name, type))
            self.what.append(f"{kind} {attributes}")
        return names

    def hide(self, name):
        """No output any more: for what nodes compute between them."""
        at = [x and x[0] for x in self.outputs].index(name)
        self.hidden.append(self.what[at])
        self.outputs[at] = self.what[at] = None

    def bytes(self):
        outputs = [x for x in self.outputs if x is not None]
        inputs = [onnx.value(n, onnx.FLOAT, [None] * len(s)) for n, (s, _) in self.inputs.items()]
        # Outputs without shape: nothing says how many axes they have.
        declared = [onnx.data(1, n) + onnx.data(2, onnx.data(1, onnx.number(1, t))) for n, t in outputs]
        return onnx.model(onnx.graph(self.nodes, self.constants, inputs, declared), self.opset)


def add_elementwise(m):
    x = Input(2, 3, 4, 5)
    for kind in ("Neg", "Relu", "Sigmoid", "HardSigmoid", "LeakyRelu"):
        m.add(kind, x)
    for kind in ("Log", "Sqrt"):
        m.add(kind, Input(3, 7, least=0.01))
    m.add("LeakyRelu", x, alpha=0.3)
    m.add("HardSigmoid", x, alpha=0.25, beta=0.4)
    for kind in ("Add", "Sub", "Mul", "Div"):
        for a, b in (((2, 3, 4), (2, 3, 4)), ((2, 3, 4), (4,)), ((1, 5, 1), (3, 1, 4)), ((2, 3, 4), (3, 1)),
                     ((), (3, 2))):
            m.add(kind, Input(*a), Input(*b, least=0.5))
    m.add("Add", Input(40, 900), Input(40, 1))  # rows of several tasks
    m.add("Add", Input(3, 40000), Input(3, 40000))
    m.add("Max", Input(2, 3), Input(2, 1))
    (name,) = m.add("GreaterOrEqual", Input(4, 3), Input(3), type=onnx.BOOL)
    m.add("Not", name, type=onnx.BOOL)
    m.add("Equal", Input(4, 3), Input(4, 3), type=onnx.BOOL)
    m.add("Equal", [1, 2, 3], [1, 5, 3], type=onnx.BOOL)
    m.add("Pow", Input(3, 4), 2.0)
    m.add("Pow", Input(3, 4, least=0.1), Input(4))
    m.add("Clip", x, -0.5, 1.5)
    m.add("Clip", x, None, 0.75)
    m.add("BatchNormalization", x, Const(3), Const(3), Const(3), Const(3, least=0.5), epsilon=0.001)


def add_shapes(m):
    x = Input(2, 3, 4, 5)
    (moved,) = m.add("Transpose", x, perm=[0, 2, 3, 1])
    m.add("Reshape", moved, [6, -1])
    m.add("Reshape", x, [0, -1, 5])
    m.add("Flatten", x, axis=2)
    m.add("Squeeze", Input(1, 3, 1, 2), [0, -2])
    m.add("Unsqueeze", Input(3, 2), [-1, 0])
    m.add("Slice", x, [1, -3], [9, -1], [1, 3])
    m.add("Slice", x, [-1, 4], [-2**63, 0], [2, 3], [-1, -2])
    m.add("Concat", Input(2, 1, 3), Input(2, 4, 3), axis=1)
    m.add("Gather", x, [3, 0, -1], axis=2)
    m.add("Gather", x, 1, axis=1)
    m.add("Pad", Input(3, 4), [2, 1, 1, 3], mode="reflect")
    m.add("Pad", Input(3, 1), [1, 0, 2, 0], mode="reflect")
    (shape,) = m.add("Shape", x, type=onnx.INT64)
    m.add("Gather", shape, [1, 3], type=onnx.INT64)
    for kind in ("Add", "Sub", "Mul"):
        m.add(kind, shape, [3], type=onnx.INT64)
    m.add("Size", x, type=onnx.INT64)
    m.add("Cast", x, to=onnx.INT64, type=onnx.INT64)
    m.add("Cast", shape, to=onnx.FLOAT)
    m.add("Cast", x, to=onnx.BOOL, type=onnx.BOOL)
    m.add("ConstantOfShape", shape, value=("", onnx.FLOAT, [1], [2.5]))
    m.add("Identity", x)
    m.add("Constant", value=("", onnx.INT64, [2], [4, -2]), type=onnx.INT64)


def add_reductions(m):
    x = Input(2, 3, 4, 5)
    for kind in ("ReduceMean", "ReduceMax"):
        m.add(kind, x, axes=[-1, 1])
        m.add(kind, x, axes=[2], keepdims=0)
        m.add(kind, x)
    m.add("Softmax", x)
    m.add("Softmax", x, axis=1)
    m.add("GlobalAveragePool", x)


def add_windows(m):
    image = Input(2, 4, 9, 7)
    for attributes in ({}, {"strides": [2, 1]}, {"pads": [1, 0, 2, 1]}, {"dilations": [2, 1], "pads": [1, 1, 1, 1]}):
        m.add("Conv", image, Const(6, 4, 3, 2), Const(6), **attributes)
    for strides in ([1, 1], [2, 1], [3, 2]):
        m.add("MaxPool", image, kernel_shape=[3, 2], strides=strides)
        m.add("AveragePool", image, kernel_shape=[3, 2], strides=strides)
    m.add("Conv", image, Const(5, 4, 1, 1))
    m.add("Conv", image, Const(6, 2, 3, 3), group=2)
    for size in (3, 5):
        for stride in (1, 2):
            m.add("Conv", image, Const(4, 1, size, size), Const(4), group=4, strides=[stride] * 2,
                  pads=[size // 2] * 4)
    m.add("Conv", image, Const(8, 1, 3, 3), group=4)
    m.add("Conv", Input(1, 4, 20), Const(3, 4, 5), strides=[3], pads=[2, 1])
    m.add("ConvTranspose", image, Const(4, 3, 2, 2), Const(3), strides=[2, 2])
    m.add("ConvTranspose", image, Const(4, 3, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1])
    m.add("ConvTranspose", image, Const(4, 3, 3, 3), group=2, dilations=[2, 1])
    nearest = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    m.add("Resize", image, None, (1.0, 1.0, 2.0, 3.0), **nearest)
    (c,) = m.add("Conv", image, Const(4, 4, 1, 1))  # channels last from here on
    m.hide(c)
    m.add("Resize", c, None, (1.0, 2.0, 3.0, 1.0), **nearest)
    m.add("MaxPool", c, kernel_shape=[2, 2], strides=[2, 2])
    m.add("GlobalAveragePool", c)
    m.add("Reshape", c, [2, -1])
    m.add("Concat", c, image, axis=1)
    m.add("Mul", c, Const(7))


def add_matrices(m):
    for a, b in (((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((2, 5, 3, 4), (2, 5, 4, 2))):
        m.add("MatMul", Input(*a), Const(*b))
        if len(a) == len(b):
            m.add("MatMul", Input(*a), Input(*b))
    (t,) = m.add("Transpose", Input(2, 5, 4), perm=[0, 2, 1])
    m.add("MatMul", Input(2, 3, 4), t)
    m.add("MatMul", t, Input(2, 5, 3))
    m.add("Gemm", Input(3, 4), Const(5, 4), Const(5), transB=1)
    m.add("Gemm", Input(3, 4), Input(4, 5), Input(3, 1))
    m.add("LSTM", Input(5, 2, 3), Const(1, 24, 3), Const(1, 24, 6), Const(1, 48), None, Input(1, 2, 6), Input(1, 2, 6),
          outputs=3, hidden_size=6)


def add_branches(m):
    (condition,) = m.add("GreaterOrEqual", Input(least=0.5), 0.0, type=onnx.BOOL)
    (x,) = m.add("Mul", Input(3, 2), 2.0)
    for swapped in (False, True):
        branches = []
        for kind in ("Sigmoid", "Neg"):
            name = f"b{swapped}{kind}"
            branches.append(onnx.graph([onnx.node(kind, [x], [name])], outputs=[onnx.value(name, onnx.FLOAT, [3, 2])]))
        m.add("If", condition, then_branch=branches[swapped], else_branch=branches[not swapped])


def models():
    """Name -> model."""
    parts = {"elementwise": add_elementwise, "shapes": add_shapes, "reductions": add_reductions,
             "windows": add_windows, "matrices": add_matrices, "branches": add_branches}
    result = {}
    for name, fill in parts.items():
        result[name] = Model(13)
        fill(result[name])
    new = result["new"] = Model(18)  # axes are an operand
    new.add("HardSwish", Input(3, 4, least=-5, most=5))
    new.add("ReduceMean", Input(2, 3, 4), [1])
    new.add("ReduceMax", Input(2, 3, 4), [-1, 0], keepdims=0)
    # Lists that were attributes then.
    old = result["old"] = Model(9)
    x = Input(2, 3, 4, 5)
    old.add("Slice", x, axes=[1, 3], starts=[1, -2], ends=[3, 2**62])
    old.add("Squeeze", Input(1, 3, 1), axes=[2])
    old.add("Unsqueeze", Input(3), axes=[1])
    old.add("Softmax", x)
    old.add("Softmax", x, axis=2)
    old.add("Clip", x, min=-1.0, max=0.5)
    return result
