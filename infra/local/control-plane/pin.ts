import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { go } from './go.ts';
import { programs } from './programs.ts';

/**
 * Writes `versions/<minor>/go.mod` and `go.sum` for the newest patch release of a minor version in the module
 * proxy.
 *
 * Flow: k8s.io/kubernetes replaces its staging modules by directories that a dependent lacks. This replaces
 * each of them by its release (v0.34.4 of k8s.io/api for v1.34.4 of Kubernetes).
 * Guarantees: every dependency, including etcd, has the version with which Kubernetes was released, because
 * the module has no other dependency, such as kwok, that could raise it. If a module cannot be downloaded,
 * nothing is written.
 */
async function writeModule(minor: string): Promise<void> {
  const version = await newestPatch(minor);
  const download = await go(import.meta.dirname, [
    'mod',
    'download',
    '-json',
    `k8s.io/kubernetes@${version}`,
  ]);
  const { GoMod } = JSON.parse(download) as { readonly GoMod: string };
  const released = await readFile(GoMod, 'utf8');

  const unfinished = await mkdtemp(join(tmpdir(), 'pin-'));
  try {
    await writeFile(join(unfinished, 'go.mod'), moduleText(version, released));
    await go(unfinished, ['mod', 'tidy']);
    await cp(unfinished, join(import.meta.dirname, 'versions', minor), { recursive: true });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Copies the `go` line of Kubernetes, because it also sets defaults of Go's runtime. */
function moduleText(version: string, released: string): string {
  const goLine = /^go .+$/m.exec(released)?.[0];
  const staging = [...released.matchAll(/^\s*(\S+) => \.\/staging\//gm)].map(([, name]) => name);
  const release = version.replace(/^v1\./, 'v0.');
  return [
    'module serverless-reconciler/test/control-plane',
    goLine,
    'tool (',
    ...programs,
    ')',
    `require k8s.io/kubernetes ${version}`,
    'replace (',
    ...staging.map((name) => `${name} => ${name} ${release}`),
    ')',
    '',
  ].join('\n');
}

async function newestPatch(minor: string): Promise<string> {
  const list = await go(import.meta.dirname, ['list', '-m', '-versions', 'k8s.io/kubernetes']);
  const newest = list
    .trim()
    .split(' ')
    .findLast((version) => version.startsWith(`v${minor}.`) && !version.includes('-'));
  if (newest === undefined) {
    throw new Error(`the module proxy has no release of Kubernetes ${minor}; name a minor as 1.36`);
  }
  return newest;
}

const [minor] = process.argv.slice(2);
if (minor === undefined) throw new Error('usage: node infra/local/control-plane/pin.ts MINOR');
await writeModule(minor);
