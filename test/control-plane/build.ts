import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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

const run = promisify(execFile);

/**
 * Builds the control plane from the versions that go.mod pins, or finds it built before.
 *
 * Guarantees: the cache never holds half a build, since a finished one is renamed into place; two
 * builds at once both succeed. Caveat: a first build takes six to ten minutes on two cores.
 */
export async function buildControlPlane(log: (line: string) => void): Promise<Binaries> {
  const parent = join(cacheRoot(), 'serverless-reconciler', 'control-plane');
  const directory = join(parent, `${kubernetesVersion}-${await pinnedVersions()}`);
  const binaries = { directory, stages: join(directory, 'stages.yaml') };
  if (existsSync(directory)) return binaries;

  await assertGo();
  log(`building the control plane ${kubernetesVersion} into ${directory} (once, some minutes)`);
  await mkdir(parent, { recursive: true });
  const unfinished = await mkdtemp(join(parent, 'unfinished-'));
  try {
    await go([
      'build',
      '-trimpath',
      '-p',
      '2',
      '-ldflags',
      linkerFlags(),
      '-o',
      `${unfinished}/`,
      ...packages,
    ]);
    await rename(join(unfinished, 'server'), join(unfinished, 'etcd'));
    await writeFile(join(unfinished, 'stages.yaml'), await readStages());
    await rename(unfinished, directory).catch((error: unknown) => {
      if (!existsSync(directory)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return binaries;
}

function cacheRoot(): string {
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}

async function pinnedVersions(): Promise<string> {
  const pins = await readFile(join(moduleDirectory, 'go.mod'));
  return createHash('sha256').update(pins).digest('hex').slice(0, 8);
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
  const kwok = (await go(['list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kwok'])).trim();
  const stages = stageFiles.map((file) => readFile(join(kwok, 'kustomize', 'stage', file), 'utf8'));
  return (await Promise.all(stages)).join('\n---\n');
}

async function assertGo(): Promise<void> {
  const needed = /^go (\S+)/m.exec(await readFile(join(moduleDirectory, 'go.mod'), 'utf8'))?.[1];
  const remedy = `the control plane is built from source: install Go ${needed} or newer (https://go.dev/dl) and put it on PATH`;
  const variables = ['GOVERSION', 'GOTOOLCHAIN'];
  // Asked outside the module, where an old go still answers.
  const answer = await run('go', ['env', ...variables], { cwd: '/' }).catch((cause: unknown) => {
    throw new Error(`no go command found; ${remedy}`, { cause });
  });
  const [version = '', toolchain] = answer.stdout.split('\n');
  const isOld = minorOf(version.replace(/^go/, '')) < minorOf(needed);
  if (isOld && toolchain === 'local') throw new Error(`go is ${version}; ${remedy}`);
}

function minorOf(version = ''): number {
  return Number(version.split('.')[1] ?? 0);
}

async function go(args: readonly string[]): Promise<string> {
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };
  const options = { cwd: moduleDirectory, env, maxBuffer: 64 << 20 };
  const { stdout } = await run('go', [...args], options).catch((error: { stderr?: string }) => {
    const tail = error.stderr?.trim().split('\n').slice(-15).join('\n');
    throw new Error(`cannot build the control plane: go ${args[0]} failed:\n${tail}`, {
      cause: error,
    });
  });
  return stdout;
}

if (import.meta.main) {
  const { directory } = await buildControlPlane((line) => console.error(line));
  console.log(directory);
}
