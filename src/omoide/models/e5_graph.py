"""Builds the ONNX graph of multilingual-e5-small from the 4-bit weights.

Two graphs: "q4" keeps the 4-bit blocks as they are (`MatMulNBits`, no loss), "fast" has 8-bit
weights, and activations that are quantised at run time (`DynamicQuantizeMatMul`; cosine to q4 about 0.995).
The word table stays outside: the graph takes the sum of embeddings, f32 [batch, length, hidden], and a mask,
i32 [batch, length], and gives the last hidden states, f32 [batch, length, hidden].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from omoide.errors import MissingExtra
from omoide.models.e5_weights import decoded, unpack

if TYPE_CHECKING:
    from omoide.models.e5_weights import Weights

BUILDER_VERSION = 1
"""Raised whenever the graph made from the same weights changes: part of the derived file's name."""

_FUSED = "com.microsoft"


def _onnx() -> Any:
    try:
        import onnx  # type: ignore[import-untyped, unused-ignore]
    except ImportError as error:
        raise MissingExtra("onnx (to prepare multilingual-e5-small once)", "local") from error
    return onnx


class _Graph:
    """Collects nodes and constants; every method that adds a node gives the name of its output."""

    def __init__(self, weights: Weights, four_bit: bool) -> None:
        self.onnx = _onnx()
        self.weights, self.four_bit = weights, four_bit
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, values: Any) -> str:
        self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def tensor(self, name: str) -> str:
        """A plain f32 tensor of the weights as a constant."""
        return self.constant(name, self.weights.floats(name))

    def node(self, kind: str, inputs: list[str], outputs: list[str], **settings: Any) -> str:
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, outputs, name=outputs[0], **settings))
        return outputs[0]

    def product(self, source: str, names: list[str], output: str, columns: int) -> str:
        """`source` times the weights `names`, side by side."""
        parts = [self.weights.blocks(name, columns) for name in names]
        nibbles = np.concatenate([part[0] for part in parts])
        scales = np.concatenate([part[1] for part in parts])
        if not self.four_bit:
            return self._eight_bit_product(source, decoded(nibbles, scales), output)
        values = unpack(nibbles)
        packed = values[..., 0::2] | values[..., 1::2] << 4  # this operator wants neighbours in one byte
        kernel = self.constant(output + ".kernel", packed.astype(np.uint8))
        scale = self.constant(output + ".scale", scales.astype(np.float32).reshape(-1))
        sizes = {"K": columns, "N": len(nibbles), "bits": 4, "block_size": 32, "accuracy_level": 1}
        return self.node("MatMulNBits", [source, kernel, scale], [output], domain=_FUSED, **sizes)

    def _eight_bit_product(self, source: str, rows: Any, output: str) -> str:
        # One scale a row, zero at 128: unsigned, because signed bytes overflow on processors without VNNI.
        scale = np.maximum(np.abs(rows).max(axis=1) / 127, 1e-12).astype(np.float32)
        values = np.clip(np.rint(rows / scale[:, None]) + 128, 0, 255).astype(np.uint8)
        inputs = [
            source,
            self.constant(output + ".kernel", values.T),
            self.constant(output + ".scale", scale),
            self.constant(output + ".zero", np.full(len(scale), 128, np.uint8)),
        ]
        return self.node("DynamicQuantizeMatMul", inputs, [output], domain=_FUSED)

    def add_and_norm(self, source: str, residual: str, layer: str, norm: str, bias: str) -> str:
        names = [self.tensor(f"{layer}.{norm}.{part}") for part in "wb"]
        inputs = [source, residual, *names, self.tensor(f"{layer}.{bias}.b")]
        output = f"{layer}.{norm}"
        epsilon = self.weights.sizes.epsilon
        return self.node("SkipLayerNormalization", inputs, [output], domain=_FUSED, epsilon=epsilon)

    def layer(self, source: str, name: str) -> str:
        """One transformer layer: attention, then feed-forward, each with its residual."""
        sizes = self.weights.sizes
        joined = self.product(source, [f"{name}.{part}.w" for part in "qkv"], f"{name}.qkv", sizes.hidden)
        biases = np.concatenate([self.weights.floats(f"{name}.{part}.b") for part in "qkv"])
        shifted = self.node("Add", [joined, self.constant(f"{name}.qkv.b", biases)], [f"{name}.qkv+"])
        split = self.constant(f"{name}.split", np.array([sizes.hidden] * 3, np.int64))
        heads = [f"{name}.{part}" for part in "qkv"]
        self.node("Split", [shifted, split], heads, axis=-1)
        seen = self.node(
            "MultiHeadAttention", [*heads, "", "mask"], [f"{name}.seen"], domain=_FUSED, num_heads=sizes.heads
        )
        attended = self.product(seen, [f"{name}.ao.w"], f"{name}.ao", sizes.hidden)
        middle = self.add_and_norm(attended, source, name, "aln", "ao")
        wide = self.product(middle, [f"{name}.fi.w"], f"{name}.fi", sizes.hidden)
        active = self.node("BiasGelu", [wide, self.tensor(f"{name}.fi.b")], [f"{name}.gelu"], domain=_FUSED)
        narrow = self.product(active, [f"{name}.fo.w"], f"{name}.fo", sizes.feed_forward)
        return self.add_and_norm(narrow, middle, name, "oln", "fo")

    def model(self) -> Any:
        """The whole model, inputs "embedded" and "mask", output "states"."""
        sizes, helper, kinds = self.weights.sizes, self.onnx.helper, self.onnx.TensorProto
        norm = [self.tensor("emb.ln.w"), self.tensor("emb.ln.b")]
        state = self.node("LayerNormalization", ["embedded", *norm], ["x"], epsilon=sizes.epsilon, axis=-1)
        for i in range(sizes.layers):
            state = self.layer(state, f"l{i}")
        self.node("Identity", [state], ["states"])
        shape = ["batch", "length", sizes.hidden]
        inputs = [
            helper.make_tensor_value_info("embedded", kinds.FLOAT, shape),
            helper.make_tensor_value_info("mask", kinds.INT32, shape[:2]),
        ]
        outputs = [helper.make_tensor_value_info("states", kinds.FLOAT, shape)]
        graph = helper.make_graph(self.nodes, "multilingual-e5-small", inputs, outputs, self.constants)
        versions = [helper.make_opsetid("", 17), helper.make_opsetid(_FUSED, 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=9)


def graph_bytes(weights: Weights, mode: str) -> bytes:
    """The serialised ONNX model for mode "q4" or "fast"."""
    return bytes(_Graph(weights, four_bit=mode == "q4").model().SerializeToString())
