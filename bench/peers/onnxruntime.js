// SPDX-License-Identifier: MIT
//
// ONNX Runtime behind a pipe. Each line of the input is a command in JSON, each line of the output its answer:
//   {"load": graph, "shape": {..., "chain": n}, "inputs": file, "output": file}
//       builds the graph, runs it, and writes what its first copy gives: {"loaded": id} or {"refused": reason}; the
//       shape of a whole model names the file of its weights
//   {"run": id, "runs": n}   {"seconds": CPU seconds of one copy of the operator}
//   {"drop": id}             {}
'use strict';

const fs = require('fs');
const readline = require('readline');
const runtime = require('onnxruntime-node');
const graphs = require('./onnx_graphs.js');
const { frames, kwt1 } = require('./onnx_kwt1.js');

const options = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  executionProviders: ['cpu'],
  logSeverityLevel: 3,
};
const sessions = new Map();

/** Cuts a file of floats into pieces of the given lengths. */
function read_floats(file, lengths) {
  const data = fs.readFileSync(file);
  const floats = new Float32Array(data.buffer, data.byteOffset, data.byteLength / 4);
  let at = 0;
  return lengths.map((length) => floats.slice(at, (at += length)));
}

/** [heads, rows, dim] -> [rows, heads * dim], and back with the two counts exchanged. */
function exchange(data, outer, inner, dim) {
  const result = new Float32Array(data.length);
  for (let o = 0; o < outer; ++o) {
    for (let i = 0; i < inner; ++i) {
      const at = (o * inner + i) * dim;
      result.set(data.subarray(at, at + dim), (i * outer + o) * dim);
    }
  }
  return result;
}

function prepare_attention(graph, shape, file) {
  const { heads, queries, keys, head_dim } = shape;
  const [query, key, value] = read_floats(file, [queries, keys, keys].map((rows) => heads * rows * head_dim));
  const packed = graph === 'multi_head_attention';
  const tensor = (data, dims) => new runtime.Tensor('float32', data, dims);
  const x = packed
    ? tensor(exchange(query, heads, queries, head_dim), [1, queries, heads * head_dim])
    : tensor(query, [1, heads, queries, head_dim]);
  const cached = [1, heads, keys, head_dim];
  return {
    model: graphs[graph](shape),
    feeds: { x, key: tensor(key, cached), value: tensor(value, cached) },
    heads_first: (output) => (packed ? exchange(output, queries, heads, head_dim) : output),
  };
}

function prepare_layer(graph, shape, file) {
  const dim = shape.model_dim;
  const square = dim * dim;
  const [x, query, key, value, output, biases] =
    read_floats(file, [shape.tokens * dim, square, square, square, square, 4 * dim]);
  return {
    model: graphs[graph](shape, { query, key, value, output, biases }),
    feeds: { x: new runtime.Tensor('float32', x, [1, shape.tokens, dim]) },
    heads_first: (y) => y,
  };
}

function prepare_product(graph, shape, file) {
  const { rows, dim } = shape;
  const [x, numbers, scales] = read_floats(file, [rows * dim, dim * dim, (dim * dim) / 32]);
  return {
    model: graphs[graph](shape, { numbers, scales }),
    feeds: { x: new runtime.Tensor('float32', x, [rows, dim]) },
    heads_first: (y) => y,
  };
}

function prepare_kwt1(graph, { weights }, file) {
  const [features] = read_floats(file, [frames[0] * frames[1]]);
  return {
    model: kwt1(weights, graph === 'kwt1_int8'),
    feeds: { x: new runtime.Tensor('float32', features, frames) },
    heads_first: (logits) => logits,
  };
}

function preparation(graph) {
  if (graph.startsWith('kwt1')) return prepare_kwt1;
  if (graph.endsWith('_product')) return prepare_product;
  return graph.endsWith('_layer') ? prepare_layer : prepare_attention;
}

async function load({ load: graph, shape, inputs, output }) {
  const { model, feeds, heads_first } = preparation(graph)(graph, shape, inputs);
  let session;
  try {
    session = await runtime.InferenceSession.create(model, options);
  } catch (error) {
    return { refused: String(error.message) };
  }
  const names = session.outputNames;
  const results = await session.run(feeds, [names[0]]);
  fs.writeFileSync(output, Buffer.from(heads_first(results[names[0]].data).slice().buffer));
  const id = sessions.size;
  sessions.set(id, { session, feeds, last: [names[names.length - 1]], chain: shape.chain });
  return { loaded: id };
}

async function run({ run: id, runs }) {
  const { session, feeds, last, chain } = sessions.get(id);
  await session.run(feeds, last);
  const start = process.cpuUsage();
  for (let i = 0; i < runs; ++i) await session.run(feeds, last);
  const { user, system } = process.cpuUsage(start);
  return { seconds: ((user + system) * 1e-6) / (runs * chain) };
}

async function drop({ drop: id }) {
  await sessions.get(id).session.release();
  sessions.set(id, null);
  return {};
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const command = JSON.parse(line);
    const answer = await ('load' in command ? load(command) : 'run' in command ? run(command) : drop(command));
    process.stdout.write(JSON.stringify(answer) + '\n');
  }
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
