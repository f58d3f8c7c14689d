import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { child, defineKind, pod, service, Type } from '../../index.ts';
import { generatedFiles, placeholderUser as placeholderFor } from '../../infra/generate/files.ts';
import type { Environment } from '../../shared/environment.ts';
import { createAuthority } from '../support/certificates.ts';
import { kinds } from '../support/config.ts';
import { identity } from '../support/observe.ts';
import { runAlone } from './command-runner.ts';

const placeholderUser = placeholderFor(identity.name);
let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'generate-'));
});
afterAll(() => rm(home, { recursive: true }));

const run = (line: string, env: Environment = {}) =>
  runAlone(['generate', ...line.split(' ')], { home, env });

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly rules?: readonly object[];
}

const documents = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest);

const cluster = '--project demo-project --location europe-west1 --cluster main';

describe('crds', () => {
  it('prints the manifests of infra/crds', async () => {
    const { code, out, err } = await run('crds');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const written = [...generatedFiles(kinds, identity.name)].filter(([path]) =>
      path.startsWith('crds/'),
    );
    expect(out).toBe(written.map(([, text]) => text).join('---\n'));
  });

  it('prints only the kinds in KINDS; -o json is a List', async () => {
    const { out } = await run('crds -o json', { KINDS: 'Foo,Website' });
    const list = JSON.parse(out) as { readonly items: readonly Manifest[] };
    expect(list).toMatchObject({ apiVersion: 'v1', kind: 'List' });
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual([
      'foos.example.com',
      'websites.kubecon.my.domain',
    ]);
  });

  it('prints a warning about a kind on stderr, and still generates its CRD', async () => {
    const proxy = defineKind({
      group: 'example.org',
      version: 'v1',
      kind: 'Proxy',
      plural: 'proxies',
      spec: Type.Object({}),
      samples: [{ name: 'shop', spec: {} }],
      owns: [pod, service],
      children: () => [
        child(pod, {
          name: 'proxy',
          labels: { app: 'proxy' },
          body: { spec: { containers: [{ name: 'proxy', image: 'proxy:1' }] } },
        }),
        child(service, {
          name: 'proxy',
          body: { spec: { selector: { app: 'prox' }, ports: [{ port: 80, protocol: 'TCP' }] } },
        }),
      ],
    });
    const argv = ['generate', 'crds', '-o', 'json'];
    const { code, out, err } = await runAlone(argv, { home, kinds: [proxy] });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ items: [{ spec: { names: { kind: 'Proxy' } } }] });
    expect(err).toMatch(
      /^warning: Proxy: sample shop: Service proxy: spec\.selector {"app":"prox"} selects no pods of the other children; those of Pod proxy have {"app":"proxy"} \(\S+:\d+:\d+\)\n$/,
    );
  });

  it('--out writes files and prints their paths', async () => {
    const { out } = await run(`crds --out ${join(home, 'install')}`, { KINDS: 'Foo' });
    const file = join(home, 'install', 'crds', 'foos.example.com.yaml');
    expect(out).toBe(`${file}\n`);
    expect(await readFile(file, 'utf8')).toBe(
      generatedFiles(kinds, identity.name).get('crds/foos.example.com.yaml'),
    );
    const json = await run(`crds -o json --out ${join(home, 'install')}`, { KINDS: 'Foo' });
    expect(JSON.parse(json.out)).toEqual([file]);
  });
});

describe('rbac', () => {
  it('prints a role for the whole cluster without namespaces', async () => {
    const { out, err } = await run('rbac --user me@example.com');
    const [role, binding, ...more] = documents(out);
    expect({ err, more }).toEqual({ err: '', more: [] });
    expect(role).toEqual(
      parse(generatedFiles(kinds, identity.name).get('rbac/cluster-role.yaml') ?? ''),
    );
    expect(binding).toMatchObject({
      kind: 'ClusterRoleBinding',
      roleRef: { kind: 'ClusterRole', name: 'serverless-reconciler' },
      subjects: [{ kind: 'User', name: 'me@example.com' }],
    });
  });

  const places = {
    '--namespaces': { line: 'rbac --user me --namespaces team-a,team-b', env: {} },
    NAMESPACES: { line: 'rbac --user me', env: { NAMESPACES: 'team-a, team-b' } },
    '--namespaces before NAMESPACES': {
      line: 'rbac --user me --namespaces team-a,team-b',
      env: { NAMESPACES: 'other' },
    },
  };

  it.each(Object.entries(places))(
    'prints a Role and a RoleBinding for each of %s, and a ClusterRole that may read CRDs',
    async (_, { line, env }) => {
      const { out } = await run(line, env);
      const found = documents(out);
      expect(found.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).toEqual([
        'ClusterRole undefined',
        'ClusterRoleBinding undefined',
        'Role team-a',
        'RoleBinding team-a',
        'Role team-b',
        'RoleBinding team-b',
      ]);
      const whole = parse(
        generatedFiles(kinds, identity.name).get('rbac/cluster-role.yaml') ?? '',
      ) as Manifest;
      expect([found[2]?.rules, found[0]?.rules].flat()).toEqual(whole.rules);
      expect(found[3]).toMatchObject({
        roleRef: { kind: 'Role', name: 'serverless-reconciler' },
        subjects: [{ kind: 'User', name: 'me' }],
      });
    },
  );

  const users = {
    'the only name in OWN_IDENTITY': {
      env: { OWN_IDENTITY: 'sa@p' },
      want: 'sa@p',
      isWarned: false,
    },
    'the placeholder if OWN_IDENTITY has several names': {
      env: { OWN_IDENTITY: 'a,b' },
      want: placeholderUser,
      isWarned: true,
    },
    'the placeholder, with a warning, if nothing is known': {
      env: {},
      want: placeholderUser,
      isWarned: true,
    },
  };

  it.each(Object.entries(users))(
    'binds without --user to %s',
    async (_, { env, want, isWarned }) => {
      const { code, out, err } = await run('rbac', env);
      expect(documents(out)[1]?.subjects?.[0]?.name).toBe(want);
      expect(code).toBe(0);
      expect(err).toBe(
        isWarned
          ? `no --user is given: replace ${placeholderUser} in the binding with the user of the functions\n`
          : '',
      );
    },
  );
});

describe('kustomization', () => {
  it('is what generate makes without a command', async () => {
    const made = ['named', 'unnamed'].map((name) => join(home, name));
    const [named = '', unnamed = ''] = made;
    await run(`kustomization --out ${named} --user me`);
    const { code, out } = await run(`--out ${unnamed} --user me`);
    expect(code).toBe(0);
    const files = await readdir(named, { recursive: true });
    expect(await readdir(unnamed, { recursive: true })).toEqual(files);
    expect(out).toContain(join(unnamed, 'kustomization.yaml'));
  });

  it('writes a directory for kubectl apply -k', async () => {
    const directory = join(home, 'kustomization');
    await run(`kustomization --out ${directory} --user me --namespaces team-a`, { KINDS: 'Foo' });
    const files = await readdir(directory, { recursive: true, withFileTypes: true });
    const names = files.filter((one) => one.isFile()).map(({ name }) => name);
    expect(names.toSorted()).toEqual([
      'cluster-role-binding.yaml',
      'cluster-role.yaml',
      'foos.example.com.yaml',
      'kustomization.yaml',
      'role-binding-team-a.yaml',
      'role-team-a.yaml',
    ]);
    const text = await readFile(join(directory, 'kustomization.yaml'), 'utf8');
    const { resources } = parse(text) as { readonly resources: readonly string[] };
    expect(resources).toEqual([
      'crds/foos.example.com.yaml',
      'rbac/cluster-role-binding.yaml',
      'rbac/cluster-role.yaml',
      'rbac/role-binding-team-a.yaml',
      'rbac/role-team-a.yaml',
    ]);
  });
});

describe('sink-filter', () => {
  it('prints filter and exclusions for the given cluster and the kinds', async () => {
    const { out } = await run(`sink-filter ${cluster}`, { KINDS: 'Foo', OWN_IDENTITY: 'sa@p' });
    expect(out).toMatch(/^-- filter\nlog_id\("cloudaudit.googleapis.com\/activity"\)\n/);
    expect(out).toContain('resource.labels.cluster_name="main"');
    expect(out).toContain(String.raw`com\.example\.[^.]+\.foos`);
    expect(out).not.toContain('websites');
    expect(out).toMatch(/\n-- exclusion own-writes\n\(.*principalEmail="sa@p"\)/);
  });

  it('filters by the namespaces in NAMESPACES, in any order', async () => {
    const { out } = await run(`sink-filter ${cluster}`, { NAMESPACES: 'team-b,team-a' });
    expect(out).toContain(
      '\n(protoPayload.resourceName=~"^[^/]+/[^/]+/namespaces/(team-a|team-b)(/|$)" OR NOT ',
    );
  });

  it('prints JSON with -o json; --own-identity takes precedence over OWN_IDENTITY', async () => {
    const env = { OWN_IDENTITY: 'other' };
    const { out } = await run(`sink-filter ${cluster} --own-identity sa@p -o json`, env);
    const { filter, exclusions } = JSON.parse(out) as {
      readonly filter: string;
      readonly exclusions: readonly { readonly name: string; readonly filter: string }[];
    };
    expect(filter).toContain('resource.labels.location="europe-west1"');
    expect(exclusions[0]).toMatchObject({ name: 'own-writes' });
    expect(exclusions[0]?.filter).toContain('"sa@p"');
    const without = await run(`sink-filter ${cluster} --out ${join(home, 'sink')}`);
    expect(without.out.split('\n')[0]).toBe(join(home, 'sink', 'sink', 'filter.lql'));
    expect(without.out).not.toContain('own-writes');
  });
});

describe('terraform-variables', () => {
  it('contains only what the environment sets', async () => {
    const bare = await run(`terraform-variables ${cluster}`, {
      CLUSTER_ENDPOINT: 'https://abc.europe-west1.gke.goog',
      SETTLE_SECONDS: '',
    });
    expect(JSON.parse(bare.out)).toEqual({
      project: 'demo-project',
      clusters: [{ name: 'main', location: 'europe-west1', endpoint: 'abc.europe-west1.gke.goog' }],
    });
    const full = await run(`terraform-variables ${cluster}`, {
      CLUSTER_ENDPOINT: 'abc.gke.goog',
      KINDS: 'foos',
      NAMESPACES: 'a,b',
      DEADLINE_SECONDS: '120',
      AUTH_URL: 'https://auth.example.com/check',
      SETTLE_SECONDS: '5',
      FAN_OUT_TOPIC: 'projects/demo-project/topics/any',
      RECORD_BUCKET: 'my-recordings',
    });
    expect(JSON.parse(full.out)).toMatchObject({
      kinds: ['Foo'],
      namespaces: ['a', 'b'],
      deadline_seconds: { resync: 120 },
      fan_out: true,
      record_bucket: 'my-recordings',
      environment: { AUTH_URL: 'https://auth.example.com/check', SETTLE_SECONDS: '5' },
    });
  });

  it("takes --region as the functions' region, which may differ from the cluster's", async () => {
    const env = { CLUSTER_ENDPOINT: 'abc.gke.goog' };
    const { out } = await run(`terraform-variables ${cluster} --region us-east1`, env);
    expect(JSON.parse(out)).toMatchObject({
      region: 'us-east1',
      clusters: [{ location: 'europe-west1' }],
    });
  });

  it('passes a certificate through, and ignores other ways to name a cluster', async () => {
    const ca = Buffer.from(createAuthority().certificate).toString('base64');
    const { code, out } = await run(`terraform-variables ${cluster}`, {
      CLUSTER_ENDPOINT: '10.0.0.250',
      CLUSTER_CA: ca,
      CLUSTER_CONTEXT: 'mine',
    });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ clusters: [{ endpoint: '10.0.0.250', ca }] });
  });
});

const wrong = {
  'an unknown kind': { line: 'crds', env: { KINDS: 'Bar' }, want: /KINDS: unknown kind "Bar"/ },
  'an illegal namespace': { line: 'rbac --namespaces A_B', want: /"A_B" is not a namespace name/ },
  'an empty list of namespaces': {
    line: 'rbac --namespaces ,',
    want: /--namespaces: no name is given/,
  },
  'a kustomization without a directory': { line: 'kustomization', want: /give --out DIR/ },
  'monitoring without a directory': { line: 'monitoring --namespace rec', want: /give --out DIR/ },
  'monitoring in an illegal namespace': {
    line: 'monitoring --namespace A_B --out /nonexistent',
    want: /--namespace: "A_B" is not a namespace name/,
  },
  'monitoring with no number of hours': {
    line: 'monitoring --namespace rec --quiet-hours 6h --out /nonexistent',
    want: /--quiet-hours <number>' argument '6h' is invalid. It must be a whole number from 0 to 9999/,
  },
  'monitoring with no interval': {
    line: 'monitoring --namespace rec --interval often --out /nonexistent',
    want: /--interval: "often" is not an interval/,
  },
  'a filter without a cluster': {
    line: 'sink-filter --project demo-project',
    want: /--location <location>/,
  },
  'variables without an endpoint': {
    line: `terraform-variables ${cluster}`,
    want: /CLUSTER_ENDPOINT: .*gcloud container clusters describe main --location europe-west1/,
  },
  'variables with a URL for an endpoint': {
    line: `terraform-variables ${cluster}`,
    env: { CLUSTER_ENDPOINT: 'abc.gke.goog:443' },
    want: /CLUSTER_ENDPOINT: "abc.gke.goog:443" is not a DNS endpoint/,
  },
  'variables with an empty label in the endpoint': {
    line: `terraform-variables ${cluster}`,
    env: { CLUSTER_ENDPOINT: 'gke-0..goog' },
    want: /CLUSTER_ENDPOINT: "gke-0..goog" is not a host name/,
  },
  'variables with an incomplete address for an endpoint': {
    line: `terraform-variables ${cluster}`,
    env: { CLUSTER_ENDPOINT: '10.0.0' },
    want: /CLUSTER_ENDPOINT: "10.0.0" is not a DNS endpoint/,
  },
  'variables with an octal address for an endpoint': {
    line: `terraform-variables ${cluster}`,
    env: { CLUSTER_ENDPOINT: '010.0.0.1' },
    want: /CLUSTER_ENDPOINT: "010.0.0.1" is not a DNS endpoint/,
  },
  'variables with an invalid ca': {
    line: `terraform-variables ${cluster}`,
    env: { CLUSTER_ENDPOINT: 'abc.gke.goog', CLUSTER_CA: 'Q0E=' },
    want: /CLUSTER_CA: not a certificate/,
  },
  'variables with a zone as the region of the functions': {
    line: `terraform-variables ${cluster} --region europe-west1-b`,
    env: { CLUSTER_ENDPOINT: 'abc.gke.goog' },
    want: /--region: "europe-west1-b" is not a region/,
  },
  'variables with a deadline longer than Cloud Scheduler waits': {
    line: `terraform-variables ${cluster}`,
    env: { CLUSTER_ENDPOINT: 'abc.gke.goog', DEADLINE_SECONDS: '1741' },
    want: /DEADLINE_SECONDS: 1741 is more than 1740/,
  },
  'variables with an unknown location': {
    line: 'terraform-variables --project demo-project --location x --cluster main',
    env: { CLUSTER_ENDPOINT: 'abc.gke.goog' },
    want: /--location: "x" is not a region/,
  },
  'a filter for a project number': {
    line: 'sink-filter --project 123456789 --location europe-west1 --cluster main',
    want: /--project: "123456789" is not a project's ID/,
  },
  'a filter with an invalid cluster name': {
    line: 'sink-filter --project demo-project --location europe-west1 --cluster Main',
    want: /--cluster: "Main" is not a cluster's name/,
  },
  'a directory that cannot be created': {
    line: 'crds --out /dev/null/x',
    want: /--out: \/dev\/null\/x\/crds\/.* cannot be written/,
  },
  'nothing to generate': {
    line: 'nothing',
    want: /^generate has no command nothing; see generate --help\n$/,
  },
} as const;

describe('wrong usage exits with 2 and prints nothing on stdout', () => {
  it.each(Object.entries(wrong))('%s', async (_, { line, want, ...rest }) => {
    const { code, out, err } = await run(line, 'env' in rest ? rest.env : {});
    expect(err).toMatch(want);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  it('an empty user', async () => {
    const { code, err } = await runAlone(['generate', 'rbac', '--user', ''], { home });
    expect({ code, err }).toEqual({ code: 2, err: '--user: the user name is empty\n' });
  });
});

const commands = [
  '',
  'crds',
  'rbac',
  'kustomization',
  'sink-filter',
  'terraform-variables',
  'terraform',
  'container',
  'kubernetes',
  'knative',
  'workflow',
];

it.each(commands)('generate %s --help shows an example', async (word) => {
  const { code, out } = await run(`${word} --help`.trim());
  expect(code).toBe(0);
  expect(out).toMatch(/Examples?:\n {2}npm run (-s )?reconciler -- generate/);
});
