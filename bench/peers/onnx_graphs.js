// SPDX-License-Identifier: MIT
//
// The graphs that are measured: `chain` copies of an operator one behind the other, because a run through the
// JavaScript binding costs more than a small operator does. The output of the first copy is what is compared.
'use strict';

const { model, node, tensor, value } = require('./onnx_model.js');

/** Names along a chain of `chain` operators: x -> first -> ... -> last. */
function link(chain, step) {
  const names = (i) => (i === 0 ? 'x' : i === 1 ? 'first' : i === chain ? 'last' : `y${i}`);
  return Array.from({ length: chain }, (_, i) => step(names(i), names(i + 1), i)).flat();
}

/** Attention of opset 23: everything is [1, heads, rows, head_dim]. */
function attention({ heads, queries, keys, head_dim, causal, chain }) {
  const rows = [1, heads, queries, head_dim];
  return model({
    nodes: link(chain, (from, to) => node('Attention', '', [from, 'key', 'value'], [to], { is_causal: causal })),
    inputs: [value('x', rows), ...['key', 'value'].map((name) => value(name, [1, heads, keys, head_dim]))],
    outputs: [value('first', rows), value('last', rows)],
  });
}

/** MultiHeadAttention of com.microsoft: queries [1, rows, heads * head_dim], keys and values as above, which saves it
 * their transposition. */
function multi_head_attention({ heads, queries, keys, head_dim, causal, chain }) {
  const rows = [1, queries, heads * head_dim];
  const attributes = { num_heads: heads, unidirectional: causal };
  return model({
    nodes: link(chain, (from, to) =>
      node('MultiHeadAttention', 'com.microsoft', [from, 'key', 'value'], [to], attributes)),
    inputs: [value('x', rows), ...['key', 'value'].map((name) => value(name, [1, heads, keys, head_dim]))],
    outputs: [value('first', rows), value('last', rows)],
  });
}

function transposed(weight, dim) {
  const result = new Float32Array(dim * dim);
  for (let o = 0; o < dim; ++o) for (let i = 0; i < dim; ++i) result[i * dim + o] = weight[o * dim + i];
  return result;
}

/** Rows of `parts` side by side: [dim, parts * dim]. */
function side_by_side(parts, dim) {
  const result = new Float32Array(parts.length * dim * dim);
  for (let i = 0; i < dim; ++i) {
    parts.forEach((part, p) => result.set(part.subarray(i * dim, (i + 1) * dim), (i * parts.length + p) * dim));
  }
  return result;
}

/** A layer as com.microsoft's Attention, which holds the three projections, and the output projection. */
function packed_layer({ heads, tokens, model_dim: dim, chain }, { query, key, value: values, output, biases }) {
  const projections = [query, key, values].map((weight) => transposed(weight, dim));
  return model({
    nodes: link(chain, (from, to, i) => [
      node('Attention', 'com.microsoft', [from, 'weights', 'bias'], [`c${i}`], { num_heads: heads }),
      node('MatMul', '', [`c${i}`, 'output'], [`p${i}`]),
      node('Add', '', [`p${i}`, 'output_bias'], [to]),
    ]),
    inputs: [value('x', [1, tokens, dim])],
    outputs: ['first', 'last'].map((name) => value(name, [1, tokens, dim])),
    initializers: [
      tensor('weights', [dim, 3 * dim], side_by_side(projections, dim)),
      tensor('bias', [3 * dim], biases.subarray(0, 3 * dim)),
      tensor('output', [dim, dim], transposed(output, dim)),
      tensor('output_bias', [dim], biases.subarray(3 * dim)),
    ],
  });
}

/** A layer as MultiHeadAttention between four matrix products. */
function separate_layer({ heads, tokens, model_dim: dim, chain }, { query, key, value: values, output, biases }) {
  const weights = { query, key, value: values, output };
  const project = (from, name, to) => [
    node('MatMul', '', [from, name], [`${to}_product`]),
    node('Add', '', [`${to}_product`, `${name}_bias`], [to]),
  ];
  return model({
    nodes: link(chain, (from, to, i) => [
      ...project(from, 'query', `q${i}`), ...project(from, 'key', `k${i}`), ...project(from, 'value', `v${i}`),
      node('MultiHeadAttention', 'com.microsoft', [`q${i}`, `k${i}`, `v${i}`], [`c${i}`], { num_heads: heads }),
      ...project(`c${i}`, 'output', to),
    ]),
    inputs: [value('x', [1, tokens, dim])],
    outputs: ['first', 'last'].map((name) => value(name, [1, tokens, dim])),
    initializers: Object.entries(weights).flatMap(([name, weight], p) => [
      tensor(name, [dim, dim], transposed(weight, dim)),
      tensor(`${name}_bias`, [dim], biases.subarray(p * dim, (p + 1) * dim)),
    ]),
  });
}

/** Products with weights of 4 or 8 bits, [dim, dim] whole numbers and a scale for every 32 inputs; rows are rounded to
 * 8 bits, too. Numbers are stored with 8 or 128 added, two of 4 bits in a byte. */
function block_product({ rows, dim, bits, chain }, { numbers, scales }) {
  const stored = Uint8Array.from(numbers, (q) => q + (bits === 4 ? 8 : 128));
  const packed = bits === 4 ? stored.filter((_, i) => i % 2 === 0).map((q, i) => q | (stored[2 * i + 1] << 4)) : stored;
  const attributes = { K: dim, N: dim, bits, block_size: 32, accuracy_level: 4 };
  return model({
    nodes: link(chain, (from, to) =>
      node('MatMulNBits', 'com.microsoft', [from, 'numbers', 'scales'], [to], attributes)),
    inputs: [value('x', [rows, dim])],
    outputs: [value('first', [rows, dim]), value('last', [rows, dim])],
    initializers: [
      tensor('numbers', [dim, dim / 32, 4 * bits], packed),
      tensor('scales', [dim, dim / 32], scales),
    ],
  });
}

module.exports = { attention, block_product, multi_head_attention, packed_layer, separate_layer };
