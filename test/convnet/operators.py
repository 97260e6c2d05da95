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
    for kind in ("Abs", "Ceil", "Cos", "Erf", "Exp", "Floor", "Neg", "Reciprocal", "Relu", "Round", "Sigmoid", "Sin",
                 "Softplus", "Tanh", "Elu", "HardSigmoid", "LeakyRelu"):
        m.add(kind, x)
    for kind in ("Log", "Sqrt"):
        m.add(kind, Input(3, 7, least=0.01))
    m.add("LeakyRelu", x, alpha=0.3)
    m.add("HardSigmoid", x, alpha=0.25, beta=0.4)
    shapes = [((2, 3, 4), (2, 3, 4)), ((2, 3, 4), (4,)), ((1, 5, 1), (3, 1, 4)), ((2, 3, 4), (3, 1)), ((), (3, 2))]
    for kind in ("Add", "Sub", "Mul", "Div", "PRelu"):
        for a, b in shapes[:4] if kind == "PRelu" else shapes:
            m.add(kind, Input(*a), Input(*b, least=0.5))
    for kind in ("Max", "Min"):
        m.add(kind, Input(2, 3), Input(3), Input(2, 1))
    for kind in ("Greater", "Less", "GreaterOrEqual", "LessOrEqual"):
        (name,) = m.add(kind, Input(4, 3), Input(3), type=onnx.BOOL)
    m.add("Where", name, Input(3), Input(4, 3))
    m.add("Not", name, type=onnx.BOOL)
    (other,) = m.add("Equal", Input(4, 3), Input(4, 3), type=onnx.BOOL)
    for kind in ("And", "Or"):
        m.add(kind, name, other, type=onnx.BOOL)
    m.add("Equal", [1, 2, 3], [1, 5, 3], type=onnx.BOOL)
    m.add("Sum", Input(2, 3), Input(3), Input(2, 1))
    m.add("Sum", Input(2, 3))
    m.add("Pow", Input(3, 4), 2.0)
    m.add("Pow", Input(3, 4, least=0.1), Input(4))
    m.add("Clip", x, -0.5, 1.5)
    m.add("Clip", x, None, 0.75)


def add_shapes(m):
    x = Input(2, 3, 4, 5)
    (moved,) = m.add("Transpose", x, perm=[0, 2, 3, 1])
    m.add("Reshape", moved, [6, -1])
    m.add("Transpose", x)
    m.add("Reshape", x, [0, -1, 5])
    m.add("Flatten", x, axis=2)
    m.add("Squeeze", Input(1, 3, 1, 2), [0, -2])
    m.add("Squeeze", Input(1, 3, 1, 2))
    m.add("Unsqueeze", Input(3, 2), [0, -1])
    m.add("Slice", x, [1, -3], [9, -1], [1, 3])
    m.add("Slice", x, [-1, 4], [-2**63, 0], [2, 3], [-1, -2])
    m.add("Split", x, [1, 2], axis=1, outputs=2)
    m.add("Split", Input(4, 6), axis=-1, outputs=3)
    m.add("Concat", Input(2, 1, 3), Input(2, 4, 3), axis=1)
    m.add("Gather", x, [3, 0, -1], axis=2)
    m.add("Gather", x, 1, axis=1)
    m.add("Expand", Input(3, 1), [2, 1, 4])
    m.add("Tile", Input(2, 3), [2, 3])
    m.add("Pad", Input(3, 4), [1, 2, 0, 3], 1.5)
    m.add("Pad", Input(3, 4), [1, -1, 0, 2])
    m.add("Pad", Input(3, 4), [2, 1, 1, 3], mode="reflect")
    m.add("Pad", Input(3, 4), [2, 1, 1, 3], mode="edge")
    (shape,) = m.add("Shape", x, type=onnx.INT64)
    m.add("Gather", shape, [1, 3], type=onnx.INT64)
    m.add("Mul", shape, shape, type=onnx.INT64)
    m.add("Div", shape, [-3], type=onnx.INT64)
    m.add("Size", x, type=onnx.INT64)
    m.add("Cast", x, to=onnx.INT64, type=onnx.INT64)
    m.add("Cast", shape, to=onnx.FLOAT)
    m.add("Cast", x, to=onnx.BOOL, type=onnx.BOOL)
    m.add("ConstantOfShape", shape, value=("", onnx.FLOAT, [1], [2.5]))
    m.add("Range", 3, 20, 4, type=onnx.INT64)
    m.add("Identity", x)
    m.add("Dropout", x)
    m.add("Constant", value_ints=[4, -2], type=onnx.INT64)
    m.add("Constant", value_float=1.25)


def add_reductions(m):
    x = Input(2, 3, 4, 5)
    for kind in ("ReduceMean", "ReduceMax", "ReduceMin"):
        m.add(kind, x, axes=[-1, 1])
        m.add(kind, x, axes=[2], keepdims=0)
        m.add(kind, x)
    m.add("ReduceSum", x, [0, 3])
    for kind in ("Softmax", "LogSoftmax"):
        m.add(kind, x)
        m.add(kind, x, axis=1)
    m.add("GlobalAveragePool", x)
    m.add("GlobalMaxPool", x)
    m.add("InstanceNormalization", x, Const(3), Const(3), epsilon=0.01)
    m.add("BatchNormalization", x, Const(3), Const(3), Const(3), Const(3, least=0.5), epsilon=0.001)


def add_windows(m):
    image = Input(2, 4, 9, 7)
    for attributes in ({}, {"strides": [2, 1]}, {"pads": [1, 0, 2, 1]}, {"dilations": [2, 1], "pads": [1, 1, 1, 1]},
                       {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
                       {"auto_pad": "VALID"}):
        m.add("Conv", image, Const(6, 4, 3, 2), Const(6), **attributes)
        m.add("MaxPool", image, kernel_shape=[3, 2], **attributes)
        if "dilations" not in attributes:
            m.add("AveragePool", image, kernel_shape=[3, 2], **attributes)
    m.add("Conv", image, Const(5, 4, 1, 1))
    m.add("Conv", image, Const(6, 2, 3, 3), group=2)
    for size in (3, 5):
        for stride in (1, 2):
            m.add("Conv", image, Const(4, 1, size, size), Const(4), group=4, strides=[stride] * 2,
                  pads=[size // 2] * 4)
    m.add("Conv", image, Const(8, 1, 3, 3), group=4)
    m.add("Conv", Input(1, 4, 20), Const(3, 4, 5), strides=[3], pads=[2, 1])
    m.add("Conv", Input(1, 2, 5, 5), Input(3, 2, 2, 2))
    m.add("ConvTranspose", image, Const(4, 3, 2, 2), Const(3), strides=[2, 2])
    m.add("ConvTranspose", image, Const(4, 3, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1])
    m.add("ConvTranspose", image, Const(4, 3, 3, 3), group=2, dilations=[2, 1])
    m.add("MaxPool", image, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    m.add("MaxPool", image, kernel_shape=[2, 1], strides=[2, 4], ceil_mode=1)
    m.add("AveragePool", image, kernel_shape=[2, 2], strides=[4, 3], pads=[0, 1, 1, 1], ceil_mode=1)
    m.add("MaxPool", Input(1, 2, 9), kernel_shape=[2], strides=[2])
    m.add("AveragePool", image, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
    for mode in ("nearest", "linear"):
        for where in ("asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"):
            m.add("Resize", image, None, (1.0, 1.0, 2.0, 2.5), mode=mode, coordinate_transformation_mode=where)
    for rounds in ("floor", "ceil", "round_prefer_ceil"):
        m.add("Resize", image, None, None, [2, 4, 13, 4], mode="nearest", nearest_mode=rounds)
    # What convolutions take over.
    (c,) = m.add("Conv", image, Const(6, 4, 3, 3))
    m.hide(c)
    (c,) = m.add("BatchNormalization", c, Const(6), Const(6), Const(6), Const(6, least=0.5))
    m.hide(c)
    (c,) = m.add("Mul", c, 0.5)
    m.hide(c)
    (c,) = m.add("Add", Const(6, 1, 1), c)
    m.hide(c)
    (c,) = m.add("Div", c, Const(1, 6, 1, 1, least=0.5))
    m.hide(c)
    (c,) = m.add("Sub", c, Const(6, 1, 1))
    m.hide(c)
    m.add("Clip", c, -0.4, 0.6)
    (c,) = m.add("Conv", image, Const(3, 4, 1, 1), Const(3))
    m.hide(c)
    m.add("Relu", c)
    (c,) = m.add("Conv", image, Const(3, 4, 1, 1))  # with two users
    m.add("Relu", c)
    (c,) = m.add("Conv", image, Const(7, 4, 1, 1))  # columns have a factor, not channels
    m.hide(c)
    m.add("Mul", c, Const(7))


def add_matrices(m):
    for a, b in (((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 1, 3, 4), (5, 4, 2))):
        m.add("MatMul", Input(*a), Input(*b))
        m.add("MatMul", Input(*a), Const(*b))
    (t,) = m.add("Transpose", Input(2, 5, 4), perm=[0, 2, 1])
    m.add("MatMul", Input(2, 3, 4), t)
    m.add("MatMul", t, Input(2, 5, 3))
    m.add("Gemm", Input(3, 4), Const(5, 4), Const(5), transB=1)
    m.add("Gemm", Input(4, 3), Input(4, 5), Input(3, 1), transA=1, alpha=0.5, beta=2.0)
    for kind, gates in (("LSTM", 4), ("GRU", 3)):
        for direction, d in (("forward", 1), ("reverse", 1), ("bidirectional", 2)):
            weights = [Const(d, gates * 6, 3), Const(d, gates * 6, 6), Const(d, 2 * gates * 6)]
            states = [None, Input(d, 2, 6)] + ([Input(d, 2, 6)] if kind == "LSTM" else [])
            m.add(kind, Input(5, 2, 3), *weights, *states, outputs=2, hidden_size=6, direction=direction)
        m.add(kind, Input(5, 1, 3), *weights[:2], outputs=2, hidden_size=6, direction="bidirectional")
    m.add("GRU", Input(4, 2, 3), Const(1, 18, 3), Const(1, 18, 6), Const(1, 36), outputs=2, hidden_size=6,
          linear_before_reset=1)


def add_branches(m):
    (condition,) = m.add("Greater", Input(least=0.5), 0.0, type=onnx.BOOL)
    (x,) = m.add("Mul", Input(3, 2), 2.0)
    for swapped in (False, True):
        branches = []
        for kind in ("Exp", "Neg"):
            name = f"b{swapped}{kind}"
            branches.append(onnx.graph([onnx.node(kind, [x], [name])], outputs=[onnx.value(name, onnx.FLOAT, [3, 2])]))
        m.add("If", condition, then_branch=branches[swapped], else_branch=branches[not swapped])


def models():
    """Name -> model."""
    parts = {"elementwise": add_elementwise, "shapes": add_shapes, "reductions": add_reductions,
             "windows": add_windows, "matrices": add_matrices, "branches": add_branches}
    result = {}
    for name, fill in parts.items():
        result[name] = Model(13 if name != "windows" else 14)
        fill(result[name])
    new = result["new"] = Model(17)
    new.add("LayerNormalization", Input(2, 3, 8), Const(8), Const(8))
    new.add("LayerNormalization", Input(2, 3, 8), Const(3, 8), axis=-2)
    new.add("HardSwish", Input(3, 4, least=-5, most=5))
    new.add("Shape", Input(2, 3, 4), start=1, end=-1, type=onnx.INT64)
    newest = result["newest"] = Model(18)  # axes are an operand
    newest.add("ReduceMean", Input(2, 3, 4), [1])
    newest.add("ReduceMax", Input(2, 3, 4), [-1, 0], keepdims=0)
    # Lists that were attributes then.
    old = result["old"] = Model(9)
    x = Input(2, 3, 4, 5)
    old.add("Slice", x, axes=[1, 3], starts=[1, -2], ends=[3, 2**62])
    old.add("Squeeze", Input(1, 3, 1), axes=[2])
    old.add("Unsqueeze", Input(3), axes=[1])
    old.add("ReduceSum", x, axes=[1], keepdims=0)
    old.add("Pad", Input(3, 4), pads=[1, 2, 0, 3], value=0.5)
    old.add("Split", x, axis=1, split=[1, 2], outputs=2)
    old.add("Softmax", x)
    old.add("Softmax", x, axis=2)
    old.add("Clip", x, min=-1.0, max=0.5)
    old.add("Upsample", Input(1, 2, 3, 4), (1.0, 1.0, 2.0, 3.0))
    old.add("Upsample", Input(1, 2, 3, 4), (1.0, 1.0, 2.0, 3.0), mode="linear")
    (c,) = old.add("Conv", Input(1, 2, 5, 5), Const(3, 2, 3, 3))
    old.hide(c)
    old.add("Clip", c, min=-0.5, max=0.5)
    return result
