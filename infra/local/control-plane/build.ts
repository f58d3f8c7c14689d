import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce } from './build-cache.ts';
import { go, goBuild } from './go.ts';
import { programs } from './programs.ts';
import { chooseRelease, type Release } from './release.ts';
import { showBuild } from './show-build.ts';

/** The directories of the programs of one version of the control plane. */
export interface Binaries {
  readonly release: Release;
  readonly directory: string;
  /** The stages with which kwok simulates the kubelet. */
  readonly stages: string;
}

// A separate module: in a release's module it would raise versions that Kubernetes depends on.
const kwokModule = join(import.meta.dirname, 'kwok');
const stageFiles = [
  'node/fast/node-initialize.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-complete.yaml',
  'pod/fast/pod-delete.yaml',
];

/**
 * Builds the control plane of `KUBERNETES_VERSION` (a minor version such as 1.35; default: the newest pinned
 * one), unless it is in the cache.
 *
 * Caveats: a first build takes six to ten minutes on two cores; its progress goes to stderr.
 */
export async function buildControlPlane(): Promise<Binaries> {
  const release = chooseRelease(process.env.KUBERNETES_VERSION);
  const { version, module } = release;
  const directory = await buildOnce({
    name: `control-plane/${version}`,
    sources: [join(module, 'go.mod'), join(kwokModule, 'go.mod')],
    async make(unfinished) {
      process.stderr.write(`building the control plane ${version} (once, some minutes)\n`);
      const { onProgress, stop } = showBuild(process.stderr, Date.now);
      await goBuild(module, unfinished, {
        packages: programs,
        flags: linkerFlags(version),
        onProgress,
      }).finally(stop);
      await goBuild(kwokModule, unfinished, { packages: ['sigs.k8s.io/kwok/cmd/kwok'] });
      await rename(join(unfinished, 'server'), join(unfinished, 'etcd'));
      await writeFile(join(unfinished, 'stages.yaml'), await readStages());
    },
  });
  return { release, directory, stages: join(directory, 'stages.yaml') };
}

// kubectl has no version without these flags, and refuses to work with a version that it cannot parse.
function linkerFlags(version: string): string {
  const [major, minor] = version.slice(1).split('.');
  const settings = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap(
    (name) => [
      `-X ${name}.gitVersion=${version}`,
      `-X ${name}.gitMajor=${major}`,
      `-X ${name}.gitMinor=${minor}`,
    ],
  );
  return ['-s', '-w', ...settings].join(' ');
}

async function readStages(): Promise<string> {
  const kwok = (await go(kwokModule, ['list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kwok'])).trim();
  const stages = stageFiles.map((file) => readFile(join(kwok, 'kustomize', 'stage', file), 'utf8'));
  return (await Promise.all(stages)).join('\n---\n');
}

if (import.meta.main) {
  const { directory } = await buildControlPlane();
  console.log(directory);
}
