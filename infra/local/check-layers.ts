import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** The layers of the API server from the ground up: each may import those before it, none after it. */
const apiServer = [
  'json',
  'go',
  'errors',
  'objects',
  'schema',
  'cel',
  'validation',
  'fields',
  'patches',
  'storage',
  'selectors',
  'printing',
  'authentication',
  'requests',
  'protobuf',
  'authorization',
  'resources',
  'kinds',
  'decoding',
  'writes',
  'custom-resources',
  'verbs',
  'representations',
  'dispatch',
  'discovery',
  'faults',
  'audit',
  'http',
];

interface Import {
  readonly from: string;
  readonly to: string;
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path));
}

/** Every relative import of a folder's files, those of types among them. */
function importsIn(folder: string): Import[] {
  return sourcesIn(folder).flatMap((from) =>
    [...readFileSync(from, 'utf8').matchAll(/(?:from|import\(?) ?'(\.[^']+)'/g)].map(
      ([, path = '']) => ({ from, to: join(dirname(from), path) }),
    ),
  );
}

/** The rank of a file's layer; a file in none comes after all layers. */
function rankOf(folder: string, layers: readonly string[], file: string): number {
  const [layer = ''] = relative(folder, file).split(sep);
  const rank = layers.indexOf(layer);
  return rank === -1 ? layers.length : rank;
}

/** The parts of the package; the files at its top may import all of them. */
const parts = ['api-server', 'controllers'];

function refuse({ from, to }: Import, why: string): void {
  const root = import.meta.dirname;
  console.error(`${relative(root, from)} imports ${relative(root, to)}: ${why}`);
  process.exitCode = 1;
}

function checkOrder(folder: string, layers: readonly string[]): void {
  for (const one of importsIn(folder)) {
    if (rankOf(folder, layers, one.to) <= rankOf(folder, layers, one.from)) continue;
    refuse(one, `it comes after the importing layer in ${import.meta.filename}`);
  }
}

checkOrder(import.meta.dirname, parts);
checkOrder(join(import.meta.dirname, 'api-server'), apiServer);
for (const one of importsIn(import.meta.dirname)) {
  if (relative(import.meta.dirname, one.to).startsWith('..')) {
    refuse(one, 'the package imports nothing from outside its folder');
  }
}
