// SPDX-License-Identifier: MIT
//
// Writes ONNX models: the few messages of onnx.proto that the measured graphs need, in protobuf's wire format.
'use strict';

function varint(value) {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    const low = Number(rest & 0x7fn);
    if (rest < 128n) return Buffer.from([...bytes, low]);
    bytes.push(low | 0x80);
  }
}

const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);

function bytes(field, content) {
  const data = typeof content === 'string' ? Buffer.from(content) : content;
  return Buffer.concat([varint((field << 3) | 2), varint(data.length), data]);
}

const message = (...parts) => Buffer.concat(parts.flat());

const FLOAT = 1;
const UINT8 = 2;
const INT8 = 3;
const INT64 = 7;

/** ValueInfoProto of a float tensor. */
function value(name, dims) {
  const shape = message(dims.map((dim) => bytes(1, number(1, dim))));
  return message(bytes(1, name), bytes(2, bytes(1, message(number(1, FLOAT), bytes(2, shape)))));
}

/** TensorProto of a Float32Array, a Uint8Array, an Int8Array, or a BigInt64Array. */
function tensor(name, dims, data) {
  const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const type = data instanceof BigInt64Array ? INT64 : data instanceof Int8Array ? INT8 : data instanceof Uint8Array ? UINT8 : FLOAT;
  return message(dims.map((dim) => number(1, dim)), number(2, type), bytes(8, name), bytes(9, raw));
}

/** AttributeProto of an integer, a text, or a float as {float: x}. */
function attribute(name, v) {
  const [AS_FLOAT, AS_INT, AS_STRING] = [1, 2, 3];
  if (typeof v === 'string') return message(bytes(1, name), bytes(4, v), number(20, AS_STRING));
  if (typeof v === 'number') return message(bytes(1, name), number(3, v), number(20, AS_INT));
  const word = Buffer.alloc(4);
  word.writeFloatLE(v.float);
  return message(bytes(1, name), varint((2 << 3) | 5), word, number(20, AS_FLOAT));
}

/** NodeProto. */
function node(type, domain, inputs, outputs, attributes = {}) {
  return message(
    inputs.map((name) => bytes(1, name)),
    outputs.map((name) => bytes(2, name)),
    bytes(3, outputs[0]),
    bytes(4, type),
    Object.entries(attributes).map(([name, v]) => bytes(5, attribute(name, v))),
    bytes(7, domain),
  );
}

/** ModelProto of one graph, given its encoded parts. */
function model({ nodes, inputs, outputs, initializers = [] }) {
  const graph = message(
    nodes.map((part) => bytes(1, part)),
    bytes(2, 'attention'),
    initializers.map((part) => bytes(5, part)),
    inputs.map((part) => bytes(11, part)),
    outputs.map((part) => bytes(12, part)),
  );
  const opset = (domain, version) => bytes(8, message(bytes(1, domain), number(2, version)));
  return message(number(1, 10), bytes(7, graph), opset('', 23), opset('com.microsoft', 1));
}

module.exports = { FLOAT, model, node, tensor, value };
