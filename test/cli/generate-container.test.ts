import { execFile } from 'node:child_process';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { containerFiles, type PackageManager } from '../../infra/generate/container.ts';
import { workflowFiles } from '../../infra/generate/workflow.ts';
import { newDirectory } from '../support/directories.ts';
import { runAlone } from './command-runner.ts';

const directory = (): Promise<string> => newDirectory('generate-container-');

/** Creates a project with these files next to its configuration. */
async function project(files: readonly string[]) {
  const root = await directory();
  for (const file of files) await writeFile(join(root, file), '');
  return {
    root,
    run: (...argv: readonly string[]) =>
      runAlone(['generate', ...argv], {
        home: root,
        configFile: join(root, 'reconciler.config.ts'),
      }),
  };
}

const made = { container: containerFiles, workflow: workflowFiles } as const;
const commands = ['container', 'workflow'] as const;

describe.each(commands)('%s', (command) => {
  it.each([
    { manager: 'npm', lockfile: 'package-lock.json' },
    { manager: 'pnpm', lockfile: 'pnpm-lock.yaml' },
  ] as const)('installs with $manager if there is a $lockfile', async ({ manager, lockfile }) => {
    const { root, run } = await project([lockfile]);
    const { code, out } = await run(command, '--out', root);
    const files = made[command](manager);
    expect({ code, out }).toEqual({
      code: 0,
      out: [...files.keys()].map((path) => `${join(root, path)}\n`).join(''),
    });
    for (const [path, text] of files) expect(await readFile(join(root, path), 'utf8')).toBe(text);
    expect(JSON.parse((await run(command, '-o', 'json')).out)).toEqual(Object.fromEntries(files));
    const printed = await run(command);
    for (const [path, text] of files) expect(printed.out).toContain(`# ${path}\n${text}`);
  });

  it.each([
    { reason: 'there is no lockfile', files: [], want: /neither package-lock.json nor/ },
    {
      reason: 'there are two lockfiles, one of which may be out of date',
      files: ['package-lock.json', 'pnpm-lock.yaml'],
      want: /both package-lock.json and pnpm-lock.yaml: delete the outdated one/,
    },
  ])('is refused if $reason', async ({ files, want }) => {
    const { run } = await project(files);
    const { code, out, err } = await run(command);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(want);
  });
});

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly permissions: Readonly<Record<string, string>>;
  readonly if?: string;
  readonly needs?: string;
  readonly steps: readonly Step[];
}

type JobWithStep = 'plan' | 'comment-plan' | 'recordings' | 'impact' | 'comment-impact';

interface Workflow {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<'build' | JobWithStep, Job>>;
}

const workflowOf = (manager: PackageManager): Workflow =>
  parse([...workflowFiles(manager).values()].join('')) as Workflow;

const shell = promisify(execFile);

describe.each(['npm', 'pnpm'] as const)('the workflow with %s', (manager) => {
  const { on, permissions, jobs } = workflowOf(manager);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('gives each job only the permissions that it needs', () => {
    expect(Object.keys(on)).toEqual(['push', 'pull_request']);
    expect(permissions).toEqual({});
    expect(Object.entries(jobs).map(([job, { permissions: own }]) => [job, own])).toEqual([
      ['build', { contents: 'read' }],
      ['plan', { contents: 'read' }],
      ['comment-plan', { 'pull-requests': 'write' }],
      ['recordings', { 'id-token': 'write' }],
      ['impact', { contents: 'read' }],
      ['comment-impact', { 'pull-requests': 'write' }],
    ]);
  });

  it('runs no code of a branch with write permissions, and gives no secret to a fork', () => {
    const checksOut = ({ steps: own }: Job): boolean =>
      own.some(({ uses = '' }) => uses.startsWith('actions/checkout'));
    const trusted = [jobs['comment-plan'], jobs['comment-impact'], jobs.recordings];
    expect(trusted.map(checksOut)).toEqual([false, false, false]);
    for (const job of [jobs.plan, jobs.recordings])
      expect(job.if).toContain('head.repo.full_name == github.repository');
    for (const { uses = '', with: given } of steps)
      if (uses.startsWith('actions/checkout'))
        expect(given).toMatchObject({ 'persist-credentials': false });
    const withSecrets = steps.filter((step) => JSON.stringify(step).includes('secrets.'));
    expect(withSecrets.map(({ name }) => name)).toEqual(['Plan']);
  });

  it('expands no expression inside a script, because its value would be executed', () => {
    expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
  });

  it('refers to actions by major version', () => {
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    expect(actions.length).toBeGreaterThan(5);
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
  });

  it('contains only valid bash scripts', async () => {
    for (const { run } of steps)
      if (run !== undefined) await shell('bash', ['-n', '-c', run], { timeout: 10_000 });
  });
});

/** Runs the script of a step as GitHub does, with these commands instead of the real ones. */
async function runStep(
  { run = '' }: Step,
  stubs: Readonly<Record<string, string>>,
  { env = {}, files = {} }: { env?: Record<string, string>; files?: Record<string, string> },
) {
  const root = await directory();
  for (const [file, content] of Object.entries(files)) await writeFile(join(root, file), content);
  for (const [command, script] of Object.entries(stubs)) {
    await writeFile(join(root, command), `#!/bin/sh\n${script}\n`);
    await chmod(join(root, command), 0o755);
  }
  const ended = await shell('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
    cwd: root,
    env: { PATH: `${root}:${process.env.PATH}`, ...env },
    timeout: 10_000,
  }).catch((error: { code: number; stdout: string }) => error);
  const read = (file: string) => readFile(join(root, file), 'utf8');
  return { ...ended, read, root };
}

const stepOf = (job: JobWithStep, name: string): Step =>
  workflowOf('npm').jobs[job].steps.find((step) => step.name === name) ?? {};

describe('the step Plan of the workflow', () => {
  const plan = stepOf('plan', 'Plan');
  const env = { KUBECONFIG_TEXT: 'a: b', KUBECONFIG: 'kubeconfig' };

  it('writes the kubeconfig only for the plan, and removes it afterwards', async () => {
    const npm = 'stat -c %a kubeconfig; cat kubeconfig; echo; echo "[$KUBECONFIG_TEXT]"';
    const { read } = await runStep(plan, { npm }, { env });
    expect(await read('plan.txt')).toBe('600\na: b\n[]\n');
    await expect(read('kubeconfig')).rejects.toThrow(/ENOENT/);
  });

  it('fails with the exit code of the plan', async () => {
    const ended = await runStep(plan, { npm: 'exit 1' }, { env });
    expect(ended).toMatchObject({ code: 1 });
    await expect(ended.read('kubeconfig')).rejects.toThrow(/ENOENT/);
  });
});

describe('the step Comment of the workflow', () => {
  const comment = stepOf('comment-plan', 'Comment');
  const env = { PULL_REQUEST: '7', GH_REPO: 'o/r' };
  /** Fakes gh with existing comments of these ids; it stores the arguments of the last call. */
  const ghWith = (...ids: readonly number[]): string => `
    if [ "$2" = --paginate ]; then printf "%s\\n" "$5" > filter; printf "%s" "${ids.map((id) => `${id}\n`).join('')}"; exit; fi
    printf "%s\\n" "$@" > arguments; cp comment.md posted.md`;
  const gh = ghWith();

  it('posts the plan as preformatted text, whatever it contains', async () => {
    const hostile = 'update x\n```\n# heading\n<img src=x>\n@everyone\n';
    const { read } = await runStep(comment, { gh }, { env, files: { 'plan.txt': hostile } });
    expect((await read('arguments')).split('\n').slice(0, 3)).toEqual(['pr', 'comment', '7']);
    const [marker, title, blank, ...lines] = (await read('posted.md')).trimEnd().split('\n');
    expect([title, blank]).toEqual(['Plan of the reconciler for this branch:', '']);
    expect(await read('filter')).toContain(`startswith("${marker}")`);
    expect(lines.map((line) => line.slice(0, 4))).toEqual(lines.map(() => '    '));
    expect(lines.map((line) => line.slice(4)).join('\n')).toBe(hostile.trimEnd());
  });

  it('replaces its own last comment', async () => {
    const files = { 'plan.txt': 'update x\n' };
    const { read } = await runStep(comment, { gh: ghWith(3, 12) }, { env, files });
    expect(await read('arguments')).toMatch(/\nPATCH\nrepos\/o\/r\/issues\/comments\/12\n/);
  });

  it('cuts a plan to the maximum length of a comment, with a note', async () => {
    const long = 'update Deployment x\n'.repeat(10_000);
    const { read } = await runStep(comment, { gh }, { env, files: { 'plan.txt': long } });
    const posted = await read('posted.md');
    expect(posted.length).toBeLessThan(65_536);
    expect(posted).toMatch(/The whole plan is in the artifacts of the workflow run\.\n$/);
  });
});

describe('the steps of the workflow about the impact', () => {
  it('copies only the newest recording of every cluster', async () => {
    const names = ['eu/2026-11-24', 'eu/2026-11-23', 'us/2026-11-22', '2026-11-20'];
    const list = names.map((name) => `gs://b/resync/${name}T00:00:00.000Z-1.jsonl.gz`).join('\n');
    const gcloud = `if [ "$2" = ls ]; then printf '${list}\n'; else echo "$3" > "$4"; fi`;
    const env = { BUCKET: 'b' };
    const { root } = await runStep(stepOf('recordings', 'Recordings'), { gcloud }, { env });
    const found = await readdir(join(root, 'recordings'), { recursive: true });
    expect(found.filter((name) => name.endsWith('.gz')).toSorted()).toEqual([
      'resync/2026-11-20T00:00:00.000Z-1.jsonl.gz',
      'resync/eu/2026-11-24T00:00:00.000Z-1.jsonl.gz',
      'resync/us/2026-11-22T00:00:00.000Z-1.jsonl.gz',
    ]);
  });

  it('fails with the exit code of the command, and keeps what it printed', async () => {
    const npm = 'echo text; exit 1';
    const ended = await runStep(stepOf('impact', 'Impact'), { npm }, {});
    expect(ended).toMatchObject({ code: 1 });
    expect(await ended.read('impact.txt')).toBe('text\n');
  });

  it('posts what the command printed, and replaces the last comment', async () => {
    const step = stepOf('comment-impact', 'Comment');
    const gh =
      'if [ "$2" = --paginate ]; then echo "$5" > filter; echo 12; exit; fi; echo "$@" > arguments';
    const files = { 'impact.txt': '<!-- serverless-reconciler impact -->\n**Restarts**\n' };
    const env = { PULL_REQUEST: '7', GH_REPO: 'o/r' };
    const { read } = await runStep(step, { gh }, { env, files });
    expect(await read('comment.md')).toBe(files['impact.txt']);
    expect(await read('filter')).toContain('startswith("<!-- serverless-reconciler impact -->")');
    expect(await read('arguments')).toContain('PATCH repos/o/r/issues/comments/12');
  });
});
