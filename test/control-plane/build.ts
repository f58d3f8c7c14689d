import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { go, goBuild } from '../support/go.ts';
import { madeOnce } from '../support/made-once.ts';

/** Where the built programs of one version of the control plane lie. */
export interface Binaries {
  readonly directory: string;
  /** The stages by which kwok plays the kubelet. */
  readonly stages: string;
}

export const kubernetesVersion = 'v1.36.3';

const moduleDirectory = import.meta.dirname;
const packages = [
  'go.etcd.io/etcd/server/v3',
  'k8s.io/kubernetes/cmd/kube-apiserver',
  'k8s.io/kubernetes/cmd/kube-controller-manager',
  'k8s.io/kubernetes/cmd/kube-scheduler',
  'k8s.io/kubernetes/cmd/kubectl',
  'sigs.k8s.io/kwok/cmd/kwok',
];
const stageFiles = [
  'node/fast/node-initialize.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-complete.yaml',
  'pod/fast/pod-delete.yaml',
];

/**
 * Builds the control plane from the versions that go.mod pins, or finds it built before.
 *
 * Caveat: a first build takes six to ten minutes on two cores.
 */
export async function buildControlPlane(log: (line: string) => void): Promise<Binaries> {
  const directory = await madeOnce({
    name: `control-plane/${kubernetesVersion}`,
    sources: [join(moduleDirectory, 'go.mod')],
    async make(unfinished) {
      log(`building the control plane ${kubernetesVersion} (once, some minutes)`);
      await goBuild(moduleDirectory, unfinished, { packages, flags: linkerFlags() });
      await rename(join(unfinished, 'server'), join(unfinished, 'etcd'));
      await writeFile(join(unfinished, 'stages.yaml'), await readStages());
    },
  });
  return { directory, stages: join(directory, 'stages.yaml') };
}

// kubectl refuses to work with a version it cannot parse, and without these flags it has none.
function linkerFlags(): string {
  const [major, minor] = kubernetesVersion.slice(1).split('.');
  const settings = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap(
    (name) => [
      `-X ${name}.gitVersion=${kubernetesVersion}`,
      `-X ${name}.gitMajor=${major}`,
      `-X ${name}.gitMinor=${minor}`,
    ],
  );
  return ['-s', '-w', ...settings].join(' ');
}

async function readStages(): Promise<string> {
  const kwok = (
    await go(moduleDirectory, ['list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kwok'])
  ).trim();
  const stages = stageFiles.map((file) => readFile(join(kwok, 'kustomize', 'stage', file), 'utf8'));
  return (await Promise.all(stages)).join('\n---\n');
}

if (import.meta.main) {
  const { directory } = await buildControlPlane((line) => console.error(line));
  console.log(directory);
}
