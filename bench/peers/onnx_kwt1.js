// SPDX-License-Identifier: MIT
//
// The keyword transformer KWT-1 as an ONNX graph over its weights: ONNX's own operators on matrices of two dimensions,
// which the optimiser fuses. com.microsoft's Attention and SkipLayerNormalization take longer.
'use strict';

const fs = require('fs');
const { FLOAT, model, node, tensor, value } = require('./onnx_model.js');

const rows = 99;
const dim = 64;
const blocks = 12;
const frames = [98, 40];
const labels = 12;

/** The float32 tensors of a safetensors file: name -> { dims, data }. */
function read_safetensors(file) {
  const content = fs.readFileSync(file);
  const start = 8 + Number(content.readBigUInt64LE(0));
  const header = JSON.parse(content.toString('utf8', 8, start));
  const entries = Object.entries(header).filter(([name]) => name !== '__metadata__');
  return new Map(entries.map(([name, { shape, data_offsets: [begin, end] }]) => {
    const floats = new Float32Array((end - begin) / 4);
    content.copy(Buffer.from(floats.buffer), 0, start + begin, start + end);
    return [name, { dims: shape, data: floats }];
  }));
}

function transposed({ dims: [outputs, inputs], data }) {
  const result = new Float32Array(data.length);
  for (let o = 0; o < outputs; ++o) for (let i = 0; i < inputs; ++i) result[i * outputs + o] = data[o * inputs + i];
  return { dims: [inputs, outputs], data: result };
}

/** Collects nodes, and the initializers that they name. Every operator answers the name of its output. */
class Graph {
  constructor(weights) {
    this.weights = weights;
    this.nodes = [];
    this.initializers = [];
  }

  add(type, inputs, output, attributes = {}) {
    this.nodes.push(node(type, '', inputs, [output], attributes));
    return output;
  }

  keep(name, { dims, data }) {
    this.initializers.push(tensor(name, dims, data));
    return name;
  }

  vector(name) {
    return this.keep(name, this.weights.get(name));
  }

  matrix(name) {
    return this.keep(name, transposed(this.weights.get(name)));
  }

  multiply(from, name, to) {
    return this.add('MatMul', [from, this.matrix(`${name}.weight`)], to);
  }

  project(from, name, to) {
    return this.add('Gemm', [from, this.matrix(`${name}.weight`), this.vector(`${name}.bias`)], to);
  }

  add_and_norm(from, branch, name) {
    const sum = this.add('Add', [from, branch], `${name}.sum`);
    const inputs = [sum, this.vector(`${name}.weight`), this.vector(`${name}.bias`)];
    return this.add('LayerNormalization', inputs, name, { epsilon: { float: 1e-6 } });
  }

  /** Frames to rows: the class token, then the projected frames, at their places. */
  begin() {
    const token = { dims: [1, dim], data: this.weights.get('class_token').data };
    const projected = this.project('x', 'patch_proj', 'projected');
    const together = this.add('Concat', [this.keep('class_token', token), projected], 'together', { axis: 0 });
    const places = { dims: [rows, dim], data: this.weights.get('pos_embed').data };
    return this.add('Add', [together, this.keep('pos_embed', places)], 'rows');
  }

  /** One head of the model's width: attention is two products of matrices. */
  block(input, name) {
    const to = (part) => `${name}.${part}`;
    const [query, key, values] = ['query', 'key', 'value'].map((part) =>
      this.multiply(input, to(`attention.${part}`), to(part)));
    const keys = this.add('Transpose', [key], to('keys'));
    const products = this.add('MatMul', [query, keys], to('products'));
    const scores = this.add('Mul', [products, 'scale'], to('scores'));
    const shares = this.add('Softmax', [scores], to('shares'));
    const context = this.add('MatMul', [shares, values], to('context'));
    const attended = this.project(context, to('attention.output'), to('attended'));
    const middle = this.add_and_norm(input, attended, to('norm1'));
    const up = this.project(middle, to('mlp.fc1'), to('up'));
    const activated = this.add('Gelu', [up], to('activated'), { approximate: 'tanh' });
    return this.add_and_norm(middle, this.project(activated, to('mlp.fc2'), to('down')), to('norm2'));
  }
}

/** int8 with a scale for each column. */
function rounded({ dims: [inputs, outputs], data }) {
  const scales = new Float32Array(outputs);
  data.forEach((number, i) => { scales[i % outputs] = Math.max(scales[i % outputs], Math.abs(number) / 127); });
  const numbers = Int8Array.from(data, (number, i) => Math.round(number / scales[i % outputs]));
  return { numbers: { dims: [inputs, outputs], data: numbers }, scales: { dims: [outputs], data: scales } };
}

/** Linear layers as onnxruntime.quantization.quantize_dynamic writes them: rows are rounded in the graph, to uint8. */
class RoundedGraph extends Graph {
  constructor(weights) {
    super(weights);
    this.rounded = new Map();
  }

  /** The names of the numbers, scale and zero point of a tensor, which is rounded once. */
  round(from) {
    if (!this.rounded.has(from)) {
      const outputs = ['numbers', 'scale', 'zero'].map((part) => `${from}.${part}`);
      this.nodes.push(node('DynamicQuantizeLinear', '', [from], outputs));
      this.rounded.set(from, outputs);
    }
    return this.rounded.get(from);
  }

  multiply(from, name, to) {
    const [numbers, scale, zero] = this.round(from);
    const matrix = rounded(transposed(this.weights.get(`${name}.weight`)));
    const weights = this.keep(`${name}.numbers`, matrix.numbers);
    const sums = this.add('MatMulInteger', [numbers, weights, zero], `${to}.sums`);
    const floats = this.add('Cast', [sums], `${to}.floats`, { to: FLOAT });
    const scales = this.add('Mul', [scale, this.keep(`${name}.scales`, matrix.scales)], `${to}.scales`);
    return this.add('Mul', [floats, scales], to);
  }

  project(from, name, to) {
    const product = this.multiply(from, name, `${to}.product`);
    return this.add('Add', [product, this.vector(`${name}.bias`)], to);
  }
}

/** The graph [98, 40] -> [12] over the weights in a safetensors file, whose linear layers may be rounded. */
function kwt1(file, is_rounded) {
  const weights = read_safetensors(file);
  const graph = is_rounded ? new RoundedGraph(weights) : new Graph(weights);
  graph.keep('scale', { dims: [], data: Float32Array.of(0.125) });
  let x = graph.begin();
  for (let block = 0; block < blocks; ++block) x = graph.block(x, `blocks.${block}`);
  graph.keep('class_row', { dims: [1], data: BigInt64Array.of(0n) });
  const logits = graph.project(graph.add('Gather', [x, 'class_row'], 'pooled'), 'head', 'logits');
  return model({
    nodes: graph.nodes,
    inputs: [value('x', frames)],
    outputs: [value(logits, [1, labels])],
    initializers: graph.initializers,
  });
}

module.exports = { frames, kwt1 };
