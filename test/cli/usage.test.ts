import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAlone } from './command-runner.ts';

let directory = '';
let kubeconfig = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cli-usage-'));
  kubeconfig = join(directory, 'kubeconfig');
  await writeFile(
    kubeconfig,
    JSON.stringify({
      'current-context': 'one',
      clusters: [{ name: 'one', cluster: { server: 'http://127.0.0.1:1' } }],
      users: [{ name: 'one', user: {} }],
      contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
    }),
  );
  await writeFile(join(directory, 'plan.json'), '{"format": "other"}');
  await writeFile(join(directory, 'text'), 'no json');
  await writeFile(join(directory, 'endpoints.yaml'), '- path: /\n- scopes: [a]\n');
  await writeFile(join(directory, 'empty'), '');
  await writeFile(join(directory, 'broken'), 'users:\n  token: SECRET\n bad: SECRET\n');
});
afterAll(() => rm(directory, { recursive: true }));

const wrong = {
  'no command': { given: [], want: /Usage: npm run reconciler -- \[options\] \[command\]/ },
  'an unknown command': { given: ['plna'], want: /unknown command 'plna'[\s\S]*plan/ },
  'a misspelt command of rollout': {
    given: ['rollout', 'pase', 'Website'],
    want: /^rollout has no command 'pase'; did you mean pause\?; use status, pause, resume, first, or rollout --kind KIND to show one kind\n$/,
  },
  'an unknown command of rollout, after options': {
    given: ['rollout', '-n', 'default', 'bogus'],
    want: /^rollout has no command 'bogus'; use status, pause, resume, first, or rollout --kind KIND to show one kind\n$/,
  },
  'an unknown option': { given: ['plan', '--nope'], want: /unknown option '--nope'[\s\S]*--help/ },
  'a misspelt kind': {
    given: ['plan', '--kind', 'Wesbite'],
    want: /there is no kind "\S+"; did you mean Website\?; known kinds/,
  },
  'an unknown format': { given: ['plan', '-o', 'xml'], want: /xml.*table, json, diff/ },
  'a name without a kind': {
    given: ['plan', 'shop'],
    want: /no kind "shop".*KIND NAME or KIND\/NAME/,
  },
  'an unknown kind': { given: ['plan', '--kind', 'Nope'], want: /known kinds: Website, .*Foo/ },
  'a kind twice': {
    given: ['plan', '--kind', 'Foo', '--kind', 'Website'],
    want: /'Website' is invalid. It was given twice, first as "Foo"/,
  },
  'a namespace and -A': { given: ['plan', '-n', 'a', '-A'], want: /cannot be used with/ },
  'a plan and -A': { given: ['apply', 'plan.json', '-A'], want: /its own resources/ },
  'a missing plan whose name starts like a kind': {
    given: ['apply', 'foo'],
    want: /the plan foo cannot be read/,
  },
  'an illegal namespace': { given: ['plan', '-n', 'A_B'], want: /namespace must be a DNS label/ },
  'an unknown context': { given: ['plan', '--context', 'two'], want: /no context "two".*one/ },
  'an unknown context in CLUSTER_CONTEXT': {
    given: ['plan'],
    env: { CLUSTER_CONTEXT: 'two' },
    want: /^CLUSTER_CONTEXT: there is no context "two"/,
  },
  'a bad list of clusters': {
    given: ['plan'],
    env: { CLUSTERS: '[{"name": "a"}]' },
    want: /^CLUSTERS: entry 1 is not a cluster/,
  },
  'the kubeconfig of a stopped npm start': {
    given: ['plan', '--kubeconfig', '.local/kubeconfig'],
    want: /^kubeconfig .*\.local\/kubeconfig cannot be read: .*; is npm start still running\?/,
  },
  'a missing kubeconfig': {
    given: ['plan', '--kubeconfig', '/nonexistent'],
    want: /\/nonexistent cannot be read/,
  },
  'an empty kubeconfig': {
    given: ['plan', '--kubeconfig', 'empty'],
    want: /empty has no context; choose another/,
  },
  'a kubeconfig with a mistake below a token': {
    given: ['plan', '--kubeconfig', 'broken'],
    want: /^.*broken cannot be read: [a-z ]+ \(line \d, column \d+\); choose another with --kubeconfig FILE\n$/,
  },
  'a bad variable': {
    given: ['plan'],
    env: { CONCURRENCY: '0' },
    want: /CONCURRENCY: "0" is not an integer between 1 and 64/,
  },
  'a namespace outside of NAMESPACES': {
    given: ['plan', '-n', 'b'],
    env: { NAMESPACES: 'a' },
    want: /nothing is selected.*; namespaces: a\n/,
  },
  'a missing plan': {
    given: ['apply', 'none.json'],
    want: /plan --out FILE.*--kind KIND/,
  },
  'a file that is not a plan': { given: ['apply', 'plan.json'], want: /not a plan.*plan --out/ },
  'a file that is not JSON': { given: ['apply', 'text'], want: /not a plan: not valid JSON/ },
  'a plan and a namespace': { given: ['apply', 'plan.json', '-n', 'a'], want: /its own resources/ },
  'an update without options': {
    given: ['app', 'update', 'shop'],
    want: /at least one of --image, --min, --max, --endpoints/,
  },
  'a deployment without an image': { given: ['app', 'deploy', 'shop'], want: /'image'/ },
  'a bound that is not a number': {
    given: ['app', 'update', 'shop', '--min', 'x'],
    want: /--min.*'x'/,
  },
  'a minimum above the maximum': {
    given: ['app', 'deploy', 'shop', 'nginx', '--min', '3', '--max', '2'],
    want: /spec.maxReplicas.*max replicas must not be less than min replicas/,
  },
  'an illegal port': {
    given: ['app', 'deploy', 'shop', 'nginx', '--port', '70000'],
    want: /spec.port must be <= 65535/,
  },
  'a bad endpoint': {
    given: ['app', 'deploy', 'shop', 'nginx', '--endpoints', 'endpoints.yaml'],
    want: /endpoints.yaml: endpoints.1 must have required properties path/,
  },
  'a missing endpoints file': {
    given: ['app', 'update', 'shop', '--endpoints', 'none.yaml'],
    want: /--endpoints: .*none.yaml cannot be read/,
  },
  'KINDS without ContainerApp': {
    given: ['app', 'list'],
    env: { KINDS: 'Foo' },
    want: /KINDS does not include ContainerApp/,
  },
} as const;

const files = [
  'none.json',
  'plan.json',
  'text',
  'endpoints.yaml',
  'none.yaml',
  'empty',
  'broken',
  '.local/kubeconfig',
];

describe('wrong usage exits with 2, names the error and the remedy, and prints nothing on stdout', () => {
  it.each(Object.entries(wrong))('%s', async (_, { given, want, ...rest }) => {
    const argv = given.map((word) => (files.includes(word) ? join(directory, word) : word));
    const env = { KUBECONFIG: kubeconfig, ...('env' in rest ? rest.env : {}) };
    const { code, out, err } = await runAlone(argv, { env, home: directory });
    expect(err).toMatch(want);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

it('without a kubeconfig the error lists every way to provide one', async () => {
  const { code, err } = await runAlone(['plan'], { home: directory });
  expect(code).toBe(2);
  expect(err).toMatch(/npm start, set KUBECONFIG, create .*\.kube\/config or give --kubeconfig/);
});

it('an unreachable cluster exits with 1 and says what to check', async () => {
  const env = { KUBECONFIG: kubeconfig, DEADLINE_SECONDS: '5' };
  const { code, err } = await runAlone(['app', 'list'], { env, home: directory });
  expect(code).toBe(1);
  expect(err).toMatch(/no response from the API server http:\/\/127.0.0.1:1.*is it running/);
});

it('the kubeconfig of a killed npm start is reported as stale', async () => {
  for (const how of [{ env: { KUBECONFIG: kubeconfig } }, {}]) {
    const { code, err } = await runAlone(['plan'], {
      ...how,
      home: directory,
      localKubeconfig: kubeconfig,
    });
    expect(code).toBe(1);
    expect(err).toMatch(/no response from the API server .*; is npm start still running\?/);
  }
});

const spellings: Readonly<Record<string, { readonly isData: boolean; readonly why: string }>> = {
  '-o json': { isData: true, why: 'the spelling in the help' },
  '-ojson': { isData: true, why: 'the spelling without a space' },
  '--output json': { isData: true, why: 'the long option' },
  '--output=json': { isData: true, why: 'the long option with =' },
  '-o text -o json': { isData: true, why: 'the last of two options applies' },
  '-o json -o text': { isData: false, why: 'the last of two options applies' },
};

it.each(Object.entries(spellings))(
  'prints an error as data with %s: %j',
  async (words, { isData }) => {
    const { code, out, err } = await runAlone(['apply', 'none', ...words.split(' ')], {
      home: directory,
    });
    expect(code).toBe(2);
    expect(err).toMatch(/^the plan none cannot be read/);
    expect(out === '' ? undefined : JSON.parse(out)).toEqual(
      isData ? { error: err.trimEnd() } : undefined,
    );
  },
);

it('--version prints the version of the package', async () => {
  const { code, out, err } = await runAlone(['--version'], { home: directory });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

/** The commands that follow these words, as Tab completes them. */
const commandsAfter = async (...words: readonly string[]): Promise<readonly string[][]> => {
  const { out } = await runAlone(['complete', '--', ...words, ''], { home: tmpdir() });
  const names = [...out.matchAll(/^(.+)\t./gm)].map(([, name = '']) => name);
  // `start` parses its own options, and shows its own help.
  return names.filter((name) => !['help', 'start'].includes(name)).map((name) => [...words, name]);
};

const first = await commandsAfter();
const second = await Promise.all(first.map((words) => commandsAfter(...words)));
const commands = [[], ...first, ...second.flat()];

it('the completed commands include subcommands', () => {
  expect(commands).toEqual(expect.arrayContaining([['plan'], ['rollout', 'pause']]));
});

it.each(
  commands.filter(([first]) => first !== 'app').map((words) => [words.join(' '), words] as const),
)('%s --help names no kind or setting of a particular configuration', async (_, words) => {
  const { out } = await runAlone([...words, '--help'], { home: directory });
  expect(out).not.toMatch(/Website|Foo|AUTH_URL|INGRESS_CLASS|kubecon\./);
});

it.each(commands.map((words) => [words.join(' '), words] as const))(
  '%s --help shows an example',
  async (_, words) => {
    const { code, out, err } = await runAlone([...words, '--help'], { home: directory });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/Examples?:\n {2}npm run (-s )?reconciler -- /);
  },
);
