// ---- data.js: decodes what FlameData wrote ----

const $ = id => document.getElementById(id);
const D = JSON.parse($('data').textContent);
$('data').remove();

async function inflate(base64) {
  const packed = atob(base64), bytes = new Uint8Array(packed.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
if (typeof DecompressionStream === 'undefined') throw new Error('this browser is too old: it lacks DecompressionStream');
const data = await inflate(D.data);
D.data = '';

let at = 0;
function next() {
  let b = data[at++];
  if (b < 128) return b;
  let v = b & 127, scale = 128;
  do { b = data[at++]; v += (b & 127) * scale; scale *= 128; } while (b > 127);
  return v;
}
const utf8 = new TextDecoder('utf-8', {ignoreBOM: true}); // U+FEFF is part of a name
function nextText() {
  const length = next();
  at += length;
  return utf8.decode(data.subarray(at - length, at));
}
function list(read) {
  const all = new Array(next());
  for (let i = 0; i < all.length; i++) all[i] = read();
  return all;
}

const texts = list(nextText);
const modules = list(() => ({path: nextText(), buildId: nextText(), rules: nextText()}));
const founds = list(() => ({label: nextText(), isGuess: next() > 0}));
const functions = list(() => ({text: next(), kind: next(), origin: next(), module: next() - 1}));

const looks = next(), lookFunction = new Int32Array(looks), lookLine = new Int32Array(looks), lookFound = new Int32Array(looks);
for (let i = 0; i < looks; i++) { lookFunction[i] = next(); lookLine[i] = next(); lookFound[i] = next(); }

// Nodes as recorded, in preorder; the graph's own nodes are made of them.
const raws = next(), rawParent = new Int32Array(raws), rawLook = new Int32Array(raws);
for (let i = 0, p = -1; i < raws; i++) {
  for (let up = next(); up > 0; up--) p = rawParent[p];
  rawParent[i] = p;
  rawLook[i] = next();
  p = i;
}
const rawFunction = i => functions[lookFunction[rawLook[i]]];

const threads = list(() => ({name: nextText(), id: next(), process: next()}));
const states = list(nextText);

// Frames are coloured by what their threads did where that is more than to run.
// Times are written in microseconds, other weights as they are.
const SCALE = D.unit === 'nanoseconds' ? 1e3 : 1;
let byState = !!D.wall && states.length > 1;

const stacks = next();
const stackNode = new Int32Array(stacks), stackThread = new Int32Array(stacks), stackState = new Int32Array(stacks);
const stackBefore = new Uint8Array(stacks), stackCount = new Float64Array(stacks), stackTime = new Float64Array(stacks), stackSquare = new Float64Array(stacks);
const stackCells = new Int32Array(stacks + 1);
// Each entry takes a byte or more.
let entryCell = new Int32Array(data.length - at), entryCount = new Float32Array(data.length - at), entryTime = new Float64Array(data.length - at);
for (let i = 0, node = 0, e = 0; i < stacks; i++) {
  node += next();
  stackNode[i] = node;
  stackThread[i] = next();
  stackState[i] = next();
  const head = next();
  stackBefore[i] = head % 2;
  stackCount[i] = next();
  stackTime[i] = next() * SCALE;
  stackSquare[i] = stackTime[i] * stackTime[i] / stackCount[i] * (1 + next() / 100);
  for (let left = (head - head % 2) / 2, cell = 0; left > 0; left--, e++) {
    cell += next();
    entryCell[e] = cell;
    entryCount[e] = next();
    entryTime[e] = next() * SCALE;
  }
  stackCells[i + 1] = e;
}
entryCell = entryCell.slice(0, stackCells[stacks]);
entryCount = entryCount.slice(0, stackCells[stacks]);
entryTime = entryTime.slice(0, stackCells[stacks]);

// Threads are told apart by index; what they are called says more where names are equal.
const isThread = new Uint8Array(threads.length); // of this recording, not of the one compared with
for (let s = 0; s < stacks; s++) if (!stackBefore[s]) isThread[stackThread[s]] = 1;
function tellApart(more) {
  const labels = new Map();
  threads.forEach((t, i) => { if (isThread[i]) labels.set(t.label, (labels.get(t.label) || 0) + 1); });
  for (const t of threads) if (labels.get(t.label) > 1) t.label += more(t);
}
for (const t of threads) t.label = t.name;
tellApart(t => t.id ? ' (id ' + t.id + ')' : '');
tellApart(t => ' (process ' + (t.process + 1) + ')');

const KINDS = D.kinds.length, kindOf = label => D.kinds.findIndex(k => k.label === label);
const KERNEL = kindOf('kernel'), JVM = kindOf('JVM'), STUB = kindOf('stub'), MARKER = kindOf('marker');
const isJava = new Uint8Array(KINDS);
for (const label of ['interpreted', 'C1', 'C2', 'C1 OSR', 'C2 OSR', 'compiled', 'inlined', 'native method']) isJava[kindOf(label)] = 1;

// By text: what it is counted under in the table of libraries, and its modules.
const textOrigin = new Int32Array(texts.length + 4).fill(-1), textModules = new Map();
for (const f of functions) {
  textOrigin[f.text] = f.origin;
  if (f.module >= 0) textModules.set(f.text, (textModules.get(f.text) || new Set()).add(f.module));
}
function extraText(text, origin) {
  const id = texts.push(text) - 1;
  textOrigin[id] = origin;
  return id;
}
const originNamed = kind => { const f = functions.find(g => g.kind === kind); return f ? f.origin : -1; };
const FOLDED_JVM = extraText('[libjvm.so]', originNamed(JVM)), FOLDED_KERNEL = extraText('[kernel]', originNamed(KERNEL));
const NO_JAVA = extraText('[no Java caller]', -1), SUMMED_UP = extraText('[summed up: few samples]', -1);
