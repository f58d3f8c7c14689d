import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { applyPatchType, ask } from '@serverless-reconciler/local-cluster/requests';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyTo, install } from '../../infra/generate/install.ts';
import { present } from '../../shared/json.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { Rule } from '../../shared/kinds/schema/rules.ts';
import { apiVersionOf } from '../../shared/kubernetes.ts';
import { application } from '../../systems/application.ts';
import { containerApp } from '../../systems/container-app.ts';
import { database } from '../../systems/database.ts';
import { defaultSettings } from '../../systems/settings.ts';
import { effort } from '../properties/runs.ts';
import { kinds } from '../support/config.ts';

const app = containerApp(defaultSettings);

let cluster: LocalCluster;
beforeAll(async () => {
  cluster = await startLocalCluster({ controllers: 'paused' });
  await install(applyTo(cluster.url), { kinds, user: 'nobody', samples: false });
});
afterAll(() => cluster.stop());

const put = (kind: Kind, name: string, spec: unknown, options = '') => {
  const path = `/apis/${apiVersionOf(kind)}/namespaces/default/${kind.plural}/${name}`;
  const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name }, spec };
  return ask(cluster, `PATCH ${path}?fieldManager=tester&force=true&${options}`, {
    body,
    type: applyPatchType,
  });
};

interface Case {
  readonly kind: Kind;
  readonly spec: object;
  readonly name?: string;
  /** A part of the server's message; absent if the resource is accepted. */
  readonly refusal?: string;
}

const ofApplication = (spec: object, refusal?: string, name?: string): Case => ({
  kind: application,
  spec,
  ...present({ refusal }),
  ...present({ name }),
});
const ofApp = (spec: object, refusal?: string): Case => ({
  kind: app,
  spec: { image: 'a', ...spec },
  ...present({ refusal }),
});
const ofPaths = (paths: readonly string[], refusal?: string): Case =>
  ofApp({ endpoints: paths.map((path) => ({ path })) }, refusal);
const sound = { databaseName: 'a', username: 'b', storage: { size: '1Gi' } };
const ofDatabase = (spec: object, refusal?: string, name?: string): Case => ({
  ...ofApplication({ ...sound, ...spec }, refusal, name),
  kind: database,
});

const unique = 'spec.endpoints: Invalid value: endpoint paths must be unique';
const segments = 'spec.endpoints[0].path: Invalid value';
const tooFew = 'max replicas must not be less than min replicas';

const cases: Record<string, Case> = {
  'A-8 no pods': ofApplication({ amountPods: 0 }),
  'A-8 pods omitted': ofApplication({}),
  'A-8 less than none': ofApplication({ amountPods: -1 }, 'spec.amountPods: Invalid value: -1'),
  'C-9 half a pod': ofApplication({ amountPods: 1.5 }, 'spec.amountPods'),
  'C-9 a version that is no label': ofApplication({ version: 'a/b' }, 'spec.version'),
  'C-9 an empty image': ofApplication({ image: '' }, 'spec.image'),
  'C-12 an Application of 39 characters': ofApplication({}, undefined, 'n'.repeat(39)),
  'C-12 an Application of 40 characters': ofApplication(
    {},
    'metadata.name must have at most 39 characters',
    'n'.repeat(40),
  ),
  'G-7 max below min': ofApp(
    { minReplicas: 3, maxReplicas: 2 },
    `spec.maxReplicas: Invalid value: ${tooFew}`,
  ),
  'G-7 max equal to min': ofApp({ minReplicas: 3, maxReplicas: 3 }),
  'G-7 min without max': ofApp({ minReplicas: 3 }),
  'G-7 no replicas': ofApp({ minReplicas: 0 }, 'spec.minReplicas'),
  'C-9 no image': ofApp({ image: '' }, 'spec.image'),
  'C-9 port 0': ofApp({ port: 0 }, 'spec.port'),
  'C-9 port 65536': ofApp({ port: 65_536 }, 'spec.port'),
  'G-7 a path twice': ofPaths(['/a', '/a'], unique),
  'G-7 a path with and without a leading slash': ofPaths(['/a', 'a'], unique),
  'G-7 a path with and without a trailing slash': ofPaths(['/a', '/a/'], unique),
  'G-7 the root twice': ofPaths(['/', '/'], unique),
  'G-7 paths within one another': ofPaths(['/', 'a', 'a/b', 'ab', 'b/a/', 'a/.b', 'a/...']),
  'G-7 an empty segment': ofPaths(['a//b'], segments),
  'G-7 empty segments only': ofPaths(['//'], segments),
  'G-7 two trailing slashes': ofPaths(['a//'], segments),
  'G-7 a segment .': ofPaths(['a/./b'], segments),
  'G-7 a segment . at the end': ofPaths(['a/.'], segments),
  'G-7 a segment ..': ofPaths(['a/../b'], segments),
  'G-7 a segment .. at the end': ofPaths(['a/..'], segments),
  'G-7 an upper-case path': ofPaths(['/A'], segments),
  'G-7 an empty path': ofPaths([''], segments),
  'G-7 a path of many lines': ofPaths(['a\nb'], segments),
  'G-7 an encoded path': ofPaths(['a%2fb'], segments),
  'G-7 64 of the longest paths': ofPaths(
    Array.from({ length: 64 }, (_, at) => `/${at + 10}${'x'.repeat(253)}`),
  ),
  'G-7 65 paths': ofPaths(
    Array.from({ length: 65 }, (_, at) => `p${at}`),
    'spec.endpoints',
  ),
  'G-7 a bad scope': ofApp(
    { endpoints: [{ path: '/', scopes: ['a b'] }] },
    'spec.endpoints[0].scopes[0]',
  ),
  'G-4 a long scope': ofApp({ endpoints: [{ path: '/', scopes: ['campgrounds.read'] }] }),
  'G-6 a scope twice': ofApp({ endpoints: [{ path: '/', scopes: ['a', 'a'] }] }),
  'C-9 an image other than PostgreSQL': ofDatabase(
    { image: 'mysql:8' },
    'spec.image: Invalid value: must be a PostgreSQL image',
  ),
  'C-9 an image from another registry': ofDatabase({ image: 'registry.example.com/postgresql:16' }),
  'C-9 no size': ofDatabase({ storage: {} }, 'spec.storage.size'),
  'C-9 a size in other units': ofDatabase({ storage: { size: '10G' } }, 'spec.storage.size'),
  'C-9 eleven replicas': ofDatabase({ replicas: 11 }, 'spec.replicas'),
  'C-9 an empty database name': ofDatabase({ databaseName: '' }, 'spec.databaseName'),
  'C-9 a long database name': ofDatabase({ databaseName: 'x'.repeat(64) }, 'spec.databaseName'),
  'C-9 quantities': ofDatabase({
    resources: { requests: { cpu: 1, memory: '1Gi' }, limits: { cpu: '1500m', memory: '2e9' } },
  }),
  'C-9 a resource that is not a quantity': ofDatabase(
    { resources: { requests: { cpu: 'lots' } } },
    'spec.resources.requests.cpu',
  ),
  'C-12 a Database of 52 characters': ofDatabase({}, undefined, 'n'.repeat(52)),
  'C-12 a Database of 53 characters': ofDatabase(
    {},
    'metadata.name must have at most 52 characters',
    'n'.repeat(53),
  ),
};

describe('the API server and, for objects from an older definition, the kind', () => {
  it.each(Object.entries(cases))('%s', async (_, { kind, spec, name = 'one', refusal }) => {
    const { code, body } = await put(kind, name, spec);
    const desired = kind.desired({
      name,
      namespace: 'default',
      uid: 'u',
      createdAt: '2026-01-01T00:00:00Z',
      spec,
    });
    if (refusal === undefined) {
      expect(body.message).toBeUndefined();
      expect(Array.isArray(desired)).toBe(true);
    } else {
      expect({ code, message: body.message }).toEqual({
        code: 422,
        message: expect.stringContaining(refusal),
      });
      expect(desired).toHaveProperty('invalid');
    }
    const path = `/apis/${apiVersionOf(kind)}/namespaces/default/${kind.plural}/${name}`;
    await ask(cluster, `DELETE ${path}`);
  });
});

const part = (...strings: readonly string[]) => fc.constantFrom(...strings);
const path = fc
  .tuple(
    part('', '/'),
    fc.array(part('a', 'b', '', '.', '..', 'a.'), { maxLength: 3 }),
    part('', '/'),
  )
  .map(([before, segments, after]) => `${before}${segments.join('/')}${after}`);
const replicas = fc.integer({ min: 0, max: 3 });

/** Specs around the limits of every rule: some break one rule, some several, most of them none. */
const generated: Record<string, fc.Arbitrary<Case>> = {
  ContainerApp: fc
    .record(
      {
        minReplicas: replicas,
        maxReplicas: replicas,
        endpoints: fc.array(fc.record({ path }), { maxLength: 3 }),
      },
      { requiredKeys: [] },
    )
    .map((spec) => ofApp(spec)),
  Database: fc
    .tuple(
      fc.array(part('post', 'gres', 'postgres', ':1'), { maxLength: 3 }),
      part('m', 'n'.repeat(52), 'n'.repeat(53)),
    )
    .map(([image, name]) => ofDatabase({ image: image.join('') }, undefined, name)),
  Application: part('m', 'n'.repeat(39), 'n'.repeat(40)).map((name) =>
    ofApplication({}, undefined, name),
  ),
};

describe('CEL and the kind make the same decision', () => {
  it.each(Object.entries(generated))('on any %s', async (_, cases) => {
    const verdicts = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(cases, async ({ kind, spec, name = 'any' }) => {
        const { code, body } = await put(kind, name, spec, 'dryRun=All');
        const desired = kind.desired({
          name,
          namespace: 'default',
          uid: 'u',
          createdAt: '2026-01-01T00:00:00Z',
          spec,
        });
        const isRefused = code === 422;
        verdicts.add(isRefused);
        expect({ isRefused: 'invalid' in desired, desired, message: body.message }).toMatchObject({
          isRefused,
        });
      }),
      effort(1000),
    );
    expect(verdicts.size).toBe(2);
  });

  it('on every rule that does not compare with the previous object', () => {
    const rulesIn = (value: unknown): readonly Rule[] =>
      Object.entries(value ?? {}).flatMap(([key, inner]) => [
        ...(key === 'x-kubernetes-validations' || key === 'rules' ? (inner as Rule[]) : []),
        ...(typeof inner === 'object' ? rulesIn(inner) : []),
      ]);
    const rules = kinds.flatMap(({ schema, rules }) => rulesIn({ schema, rules }));
    expect(rules.length).toBeGreaterThan(8);
    for (const { rule, holds } of rules)
      expect(holds === undefined, rule).toBe(rule.includes('oldSelf'));
  });
});

interface Change {
  readonly kind: Kind;
  readonly from: object;
  readonly to: object;
  readonly refusal?: string;
}

const withClass = (storageClass: string) => ({ ...sound, storage: { size: '1Gi', storageClass } });
const comesOrGoes = 'spec.storage.storageClass: Invalid value: storage.storageClass is immutable';
const changes: Record<string, Change> = {
  'G port': {
    kind: app,
    from: { image: 'a', port: 81 },
    to: { image: 'a', port: 82 },
    refusal: 'spec.port: Invalid value: port is immutable',
  },
  'G port omitted': {
    kind: app,
    from: { image: 'a', port: 81 },
    to: { image: 'a' },
    refusal: 'spec.port: Invalid value: port is immutable',
  },
  'G default port written out': {
    kind: app,
    from: { image: 'a' },
    to: { image: 'b', port: 80 },
  },
  'G-7 min above the live max': {
    kind: app,
    from: { image: 'a', maxReplicas: 2 },
    to: { image: 'a', maxReplicas: 2, minReplicas: 3 },
    refusal: tooFew,
  },
  'D size': {
    kind: database,
    from: sound,
    to: { ...sound, storage: { size: '2Gi' } },
    refusal: 'spec.storage.size: Invalid value: storage.size is immutable',
  },
  'D class comes': { kind: database, from: sound, to: withClass('a'), refusal: comesOrGoes },
  'D class goes': { kind: database, from: withClass('a'), to: sound, refusal: comesOrGoes },
  'D class changes': {
    kind: database,
    from: withClass('a'),
    to: withClass('b'),
    refusal: comesOrGoes,
  },
  'D databaseName': {
    kind: database,
    from: sound,
    to: { ...sound, databaseName: 'z' },
    refusal: 'spec.databaseName: Invalid value: databaseName is immutable',
  },
  'D username': {
    kind: database,
    from: sound,
    to: { ...sound, username: 'z' },
    refusal: 'spec.username: Invalid value: username is immutable',
  },
  'D-2 image and replicas': {
    kind: database,
    from: withClass('a'),
    to: { ...withClass('a'), image: 'postgres:15', replicas: 2 },
  },
};

describe('the API server enforces immutable fields', () => {
  it.each(Object.entries(changes))('%s', async (row, { kind, from, to, refusal }) => {
    const name = row.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');
    const before = await put(kind, name, from);
    expect(before.code).toBe(201);
    const after = await put(kind, name, to);
    if (refusal === undefined) expect(after.code).toBe(200);
    else expect(after).toMatchObject({ code: 422 });
    if (refusal !== undefined) expect(after.body.message).toContain(refusal);
  });
});
