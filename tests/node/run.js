// Runs requests on the CPU backend of the real TF.js: a JSON list on stdin, the list of answers on stdout.
//
// A tensor is {shape, dtype, values}; a NaN in an answer becomes null. A request that throws is answered {error}.
'use strict';

const tf = require('@tensorflow/tfjs');

const toTensor = ({ shape, dtype, values }) => tf.tensor(values, shape, dtype || 'float32');
const toAnswer = (x) => ({ shape: x.shape, dtype: x.dtype, values: Array.from(x.dataSync()) });
const apply = (name, x, { size, alignCorners = false, halfPixelCenters = false }) =>
  tf.image[name](x, size, alignCorners, halfPixelCenters);

// A kernel as the registry holds it: no check of the public op in front of it.
function kernel({ name, inputs, attrs }) {
  const tensors = Object.fromEntries(Object.entries(inputs).map(([key, value]) => [key, toTensor(value)]));
  const info = tf.getKernel(name, 'cpu').kernelFunc({ inputs: tensors, attrs, backend: tf.backend() });
  return toAnswer(tf.engine().makeTensorFromTensorInfo(info));
}

const op = ({ name, images, attrs }) => toAnswer(apply(name, toTensor(images), attrs));

// What the last line of a piece of code gives.
const evaluate = ({ code }) => toAnswer(eval(code));

// The gradient by central differences of the forward op. The op is linear: a step of 1 is as exact as a small one, and
// loses no digits.
function centralDifferences({ name, images, dy, attrs }) {
  const base = Float32Array.from(images.values);
  const forward = (position, step) => tf.tidy(() => {
    const moved = Float32Array.from(base);
    moved[position] += step;
    return apply(name, tf.tensor(moved, images.shape), attrs).dataSync();
  });
  const values = Array.from(base, (_, position) => {
    const [up, down] = [forward(position, 1), forward(position, -1)];
    return dy.values.reduce((sum, d, o) => sum + d * (up[o] - down[o]) / 2, 0);
  });
  return { shape: images.shape, dtype: 'float64', values };
}

// The index that nearest neighbour picks, for an axis of every length up to `limit` resized to every length up to it:
// along the height and along the width, one flat list each, as 16-bit numbers in base64.
function nearestIndices({ limit, attrs }) {
  const total = limit * limit * (limit + 1) / 2;
  const lists = { height: new Uint16Array(total), width: new Uint16Array(total) };
  let first = 0;
  for (let n = 1; n <= limit; n++) {
    for (let m = 1; m <= limit; m++) {
      tf.tidy(() => {
        const pick = (shape, size) => apply('resizeNearestNeighbor', tf.range(0, n).reshape(shape), { ...attrs, size });
        lists.height.set(pick([1, n, 1, 1], [m, 1]).dataSync(), first);
        lists.width.set(pick([1, 1, n, 1], [1, m]).dataSync(), first);
      });
      first += m;
    }
  }
  const text = (list) => Buffer.from(list.buffer).toString('base64');
  return { height: text(lists.height), width: text(lists.width) };
}

const version = () => ({ tfjs: tf.version.tfjs, backend: tf.getBackend() });
const calls = { kernel, op, evaluate, centralDifferences, nearestIndices, version };

function answer(request) {
  try {
    return tf.tidy(() => calls[request.call](request));
  } catch (error) {
    return { error: error.message };
  }
}

async function main() {
  await tf.setBackend('cpu');
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const requests = JSON.parse(Buffer.concat(chunks).toString());
  process.stdout.write(JSON.stringify(requests.map(answer)));
}

main();
