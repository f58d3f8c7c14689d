import { AssertionError } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  child,
  defineKind,
  labelValue,
  objectName,
  persistentVolumeClaim,
  secret,
  statefulSet,
  statefulSetName,
  Type,
} from '../../index.ts';
import { packageRoot } from '../../infra/package-root.ts';
import config from '../../reconciler.config.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { expectReliable, type Reliability, type ReliabilityOptions } from '../../testing/index.ts';
import { type Breach, laws } from '../../testing/law.ts';
import { playSequence } from '../../testing/reliable/world.ts';
import { isWhole } from '../properties/runs.ts';
import { kinds } from '../support/config.ts';
import { timeToFind } from './breakage-table.ts';
import { type Breakage, breakages, healthy } from './breakages.ts';

/** A search of half a minute for each kind takes too long for `npm test`. */
const seconds = isWhole ? 30 : 1;
/** The seed of `npm test` is fixed, so that it never fails by chance. */
const seed = isWhole ? {} : { seed: 1 };
const timeout = 180_000;

const breach = (kind: Breakage['kind'], options: ReliabilityOptions): Promise<Breach> =>
  expectReliable(kind, options).then(
    () => expect.fail('no law is broken'),
    (error: Breach) => error,
  );

const kindOf = (title: string): Breakage['kind'] => {
  const found = breakages.find((one) => one.title === title);
  return found?.kind ?? expect.fail(`there is no ${title}`);
};

describe('no law of expectReliable is broken by', () => {
  // These two leave what they do not know to the API server: see below.
  it.each(kinds.map(({ kind }) => kind).filter((kind) => !['Database', 'Foo'].includes(kind)))(
    '%s',
    async (kind) => {
      const tried = await expectReliable(config, { kind, seconds, ...seed });
      expect(tried.specs).toBeGreaterThan(0);
    },
    timeout,
  );

  it(
    'a healthy kind with a ConfigMap, a Secret, a claim, a Deployment, a Service and a budget',
    async () => {
      const tried = await expectReliable(healthy, { seconds, ...seed });
      expect(tried.specs).toBeGreaterThan(0);
    },
    timeout,
  );
});

it('an edit may replace a certificate, because it can be generated again', async () => {
  const served = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Served',
    plural: 'serveds',
    spec: Type.Object({ host: Type.String({ pattern: '^[a-z]{1,9}$', default: 'web' }) }),
    samples: [{ name: 'one', spec: {} }],
    owns: [secret],
    children: ({ name, spec: { host } }) => [
      child(secret, {
        name: objectName(`${name}-${host}`),
        body: {},
        generated: { certificate: { dnsNames: [host] }, usedBy: [] },
      }),
    ],
  });
  await expectReliable(served, { specs: [{ host: 'web' }, { host: 'shop' }] });
});

it('a field that others own after the creation may be immutable', { timeout }, async () => {
  const store = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Store',
    plural: 'stores',
    spec: Type.Object({ gigabytes: Type.Integer({ minimum: 1, maximum: 9, default: 1 }) }),
    samples: [{ name: 'one', spec: {} }],
    owns: [statefulSet],
    children: ({ name, spec: { gigabytes } }) => {
      const labels = { store: labelValue(name) };
      const containers = [{ name: 'store', image: 'store:1' }];
      const storage = `${gigabytes}Gi`;
      const claim = {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
      };
      return [
        child(statefulSet, {
          name: statefulSetName(name),
          initial: ['spec.volumeClaimTemplates'],
          body: {
            spec: {
              serviceName: 'store',
              selector: { matchLabels: labels },
              template: { metadata: { labels }, spec: { containers } },
              volumeClaimTemplates: [claim],
            },
          },
        }),
      ];
    },
  });
  await expectReliable(store, { specs: [{ gigabytes: 1 }, { gigabytes: 2 }] });
});

it('a claim may follow a name in an object that is edited as a whole', async () => {
  const size = '1Gi';
  const kind = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Store',
    plural: 'stores',
    spec: Type.Object({
      backup: Type.Object({
        claimName: Type.String({ pattern: '^[a-z]{1,9}$', default: 'backups' }),
      }),
    }),
    samples: [{ name: 'one', spec: { backup: {} } }],
    owns: [persistentVolumeClaim],
    children: ({ name, spec: { backup } }) => [
      child(persistentVolumeClaim, {
        name: objectName(`${name}-${backup.claimName}`),
        body: {
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } },
        },
      }),
    ],
  });
  await expectReliable(kind, { seconds: 2, seed: 1 });
});

it.each(kinds.filter(({ kind }) => ['Database', 'Foo'].includes(kind)))(
  'expectReliable finds that $kind accepts specs that the API server refuses in a child',
  async (kind) => {
    const { law } = await breach(kind, { seconds: 10, seed: 1 });
    expect(law).toBe(laws.applied);
  },
  timeout,
);

it('a kind is not blamed for fields that it passes on', { timeout }, async () => {
  const kind = 'Database';
  const passedOn = ['resources'];
  const tried = await expectReliable(config, { kind, seconds: 5, seed: 1, passedOn });
  expect(tried.sequences).toBeGreaterThan(0);
  const storage = { size: '1Gi' };
  const refused = { limits: { a: '1Gi' } };
  const spec = { storage, databaseName: 'shop', username: 'shop', resources: refused };
  const { resources: _, ...accepted } = spec;
  await expectReliable(config, { kind, passedOn, specs: [accepted, spec, accepted] });
});

it('an error says why passedOn excuses nothing', { timeout }, async () => {
  const resources = { limits: { a: '1Gi' } };
  const spec = { storage: { size: '1Gi' }, databaseName: 'shop', username: 'shop', resources };
  const passedOn = ['resources', 'username'];
  const tried = expectReliable(config, { kind: 'Database', passedOn, specs: [spec] });
  await expect(tried).rejects.toThrow(
    '`passedOn` is ignored, because the API server refuses the spec if these fields are omitted',
  );
});

it('a kind that passes on a field is blamed for what it breaks itself', { timeout }, async () => {
  const broken = kindOf('a Service selects no pods');
  expect((await breach(broken, { seed: 1, passedOn: ['topics'] })).law).toBe(laws.matched);
});

describe('a kind that is broken on purpose', () => {
  const known = breakages.filter(({ law }) => law !== undefined);
  // One after the other takes minutes; every run of `npm test` tries the quickest of each law.
  const tried = isWhole
    ? known
    : known.filter(({ law }, at) => known.findIndex((one) => one.law === law) === at);

  it.each(tried)(
    'is detected: $title',
    async (one) => {
      expect([one.law, ...(one.others ?? [])]).toContain((await timeToFind(one)).law);
    },
    timeout,
  );

  it('is in the table of docs/testing.md', () => {
    const document = readFileSync(join(packageRoot, 'docs', 'testing.md'), 'utf8');
    const rows = breakages.map(({ title, law }) => {
      const name = Object.entries(laws).find(([, text]) => text === law)?.[0];
      return `| ${title} | ${name === undefined ? 'not found' : `\`${name}\``}`;
    });
    const listed = document.matchAll(
      /^(\| [^|]+) \| (?:Acto|Sieve|studies|practice) (\| [^|]+) \|/gm,
    );
    expect([...listed].map(([, title, law]) => `${title} ${law}`)).toEqual(rows);
  });
});

describe('the error for a broken law', () => {
  const options = { seconds: 20, seed: 3 };

  it(
    'contains the law, the child, the field and the shortest specs',
    async () => {
      const error = await breach(kindOf('the probe stays at the former port'), options);
      expect(error).toBeInstanceOf(AssertionError);
      expect(error.message).toMatch(
        /^Shop default\/shop breaks the law "selectors, targets and ports/,
      );
      expect(error.message).toContain(
        'Deployment shop: readinessProbe.httpGet.port is still 8080, but no container listens on this port any more',
      );
      const specs = specsIn(error.message);
      expect(specs).toHaveLength(2);
      const [first, second] = specs as [object, object];
      expect(Object.keys({ ...first, ...second }).filter((name) => name !== 'topics')).toEqual(
        expect.arrayContaining(['image', 'port']),
      );
    },
    timeout,
  );

  it(
    'contains a test that can be pasted',
    async () => {
      const kind = kindOf('a claim is named after a field that may be edited');
      const first = await breach(kind, options);
      const again = await breach(kind, { specs: specsIn(first.message) });
      expect(again.law).toBe(first.law);
    },
    timeout,
  );

  it(
    'contains the options that decide what is found',
    async () => {
      const broken = kindOf('a claim is named after a field that may be edited');
      const limits = { environment: { PRUNE_LIMIT: '7' }, passedOn: ['topics'] };
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } };
      const { message } = await breach(broken, { ...options, ...limits, given: [object] });
      expect(optionsIn(message)).toMatchObject({ ...limits, given: [object] });
      const many = Array(40).fill(object);
      const { message: long } = await breach(broken, { ...options, given: many });
      expect(long).toContain('  // Copy from the test that failed: given\n');
      expect(long).toMatch(/^ {4}given,$/m);
    },
    timeout,
  );

  it(
    'is the same with the same seed',
    async () => {
      const kind = kindOf('children() throws for an empty list');
      const [one, other] = [await breach(kind, options), await breach(kind, options)];
      expect(specsIn(other.message)).toEqual(specsIn(one.message));
    },
    timeout,
  );

  it('is found on a cluster if only an edit breaks the law', async () => {
    const specs = [
      { image: 'a', size: '2Gi' },
      { image: 'a', size: '1Gi' },
    ];
    const error = await breach(kindOf('a claim shrinks'), { specs });
    expect(error.message).toContain(
      'PersistentVolumeClaim shop-data: spec.resources.requests.storage',
    );
  });
});

/** Parses the options of the test in a message. */
function optionsIn(message: string): ReliabilityOptions {
  const [, options] = /await expectReliable\(\w+, (\{.*\})\);\n\}\);$/s.exec(message) ?? [];
  return new Function(`return ${options}`)() as ReliabilityOptions;
}

const specsIn = (message: string): ReliabilityOptions['specs'] & object =>
  optionsIn(message).specs ?? expect.fail(message);

describe('expectReliable accepts a healthy kind if', () => {
  const specs = [
    { image: 'a', password: 'abcd', topics: [{ name: 'orders' }] },
    { image: 'b', topics: [{ name: 'bills' }] },
    { image: 'c', topics: [{ name: 'bills' }, { name: 'parcels' }] },
  ];
  const disturbances: Record<string, NonNullable<ReliabilityOptions['disturbances']>> = {
    'a run crashes before a write': [
      { dies: 14, when: 'before' },
      { dies: 16, when: 'before' },
    ],
    'a run crashes after a write': [
      { dies: 13, when: 'after' },
      { dies: 15, when: 'after' },
    ],
    'a run is overtaken by an edit': [{ overtaken: 3 }],
    'a type cannot be listed': [null, { unlisted: 0 }],
    'a type is not served': [{ unserved: 0 }, { unserved: 3 }],
    'a write is refused': [{ refused: 2 }, { refused: 1 }],
    'another writer adds an annotation': [null, { annotated: true }],
    'admission changes its children': [{ admits: 'steady' }, { admits: 'steady' }],
    'admission changes its children differently each time': [
      { admits: 'fickle' },
      { admits: 'fickle' },
    ],
    'admission refuses a type for a while': [{ denied: 0 }, { denied: 3 }],
    'a later run reads an older state, and creates a child that exists': [
      { behind: 1 },
      { behind: 2 },
    ],
    'a later run reads an older state, and changes a newer child': [null, null, { behind: 2 }],
    'a run is caused by audit events': [{ delivered: true }, { delivered: true }],
  };

  it('admission does not prevent readiness, which would be found', async () => {
    const kind = kindOf('a Deployment to which admission adds a container is never ready');
    const { law, message } = await breach(kind, { specs, disturbances: [{ admits: 'steady' }] });
    expect(law).toBe(laws.admitted);
    expect(message).toContain('Ready: Ready → ');
  });

  it.each(Object.entries(disturbances))('%s', async (_, how) => {
    const tried = await expectReliable(healthy, { specs, disturbances: how });
    expect(tried.sequences).toBe(1);
  });
});

it('a child that the API server refuses in every run breaks the law that an accepted spec is applied', async () => {
  const kind = kinds.find((one) => one.kind === 'Database') ?? expect.fail('no Database');
  const stage = { config: { kinds: [kind] }, kind, name: 'shop', namespace: 'default' };
  const resources = { limits: { a: '1Gi' } };
  const spec = { storage: { size: '1Gi' }, databaseName: 'shop', username: 'shop', resources };
  const played = playSequence(
    { ...stage, given: [], passedOn: [], environment: {} },
    { specs: [spec] },
  );
  await expect(played).rejects.toMatchObject({ law: laws.applied });
});

describe('expectReliable with an earlier version of a kind', () => {
  /** A version with a Deployment whose selector and pods have other labels. */
  const earlier = (version: string): Kind => ({
    ...healthy,
    desired(resource, find) {
      const desired = healthy.desired(resource, find);
      if ('invalid' in desired) return desired;
      return desired.map((one) =>
        one.type.kind === 'Deployment' ? { ...one, body: relabelled(one.body, { version }) } : one,
      );
    },
  });
  const relabelled = (body: JsonObject, labels: JsonObject): JsonObject =>
    JSON.parse(
      JSON.stringify(body).replaceAll(
        /"(matchLabels|labels)":\{/g,
        (text) => `${text}${JSON.stringify(labels).slice(1, -1)},`,
      ),
    );
  const specs = [healthy.samples[0]?.spec ?? {}];

  it('breaks no law if its children can become those of this version', async () => {
    const previous: Kind = { ...healthy, ownStatus: () => ({ fields: {}, conditions: [] }) };
    expect((await expectReliable(healthy, { specs, previous })).sequences).toBe(1);
  });

  it('finds another selector, because that is immutable', async () => {
    const { law, message } = await breach(healthy, { specs, previous: earlier('1') });
    expect(law).toBe(laws.applied);
    expect(message).toContain('ImmutableFieldChanged');
  });

  it('also tries it in a search', async () => {
    const options = { seconds: 20, seed: 1, previous: earlier('1') };
    const { law, message } = await breach(healthy, options);
    expect(law).toBe(laws.applied);
    expect(message).toMatch(/await expectReliable\(\w+, \{.*\bprevious\b.*\}\);/s);
  });
});

it('expectReliable reports its progress', async () => {
  const seen: Reliability[] = [];
  await expectReliable(healthy, { seconds: 1, seed: 1, onProgress: (tried) => seen.push(tried) });
  expect(seen.at(-1)?.specs).toBeGreaterThan(0);
});

it.each([
  [{ seconds: 0 }, 'seconds is 0; it must be a number above 0'],
  [{ seed: 1.5 }, 'seed is 1.5; it must be an integer'],
  [{ spec: {} } as ReliabilityOptions, 'there is no option spec; did you mean specs?'],
])('expectReliable names a wrong option: %j', async (options, says) => {
  await expect(expectReliable(healthy, options)).rejects.toThrow(says);
});
