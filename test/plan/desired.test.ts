import { describe, expect, it } from 'vitest';
import { configMap, secret } from '../../shared/kinds/child-types/core.ts';
import type { IsPast } from '../../shared/kinds/kind.ts';
import { keyOf } from '../../shared/kubernetes.ts';
import { desiredOf, finderIn, refToReference } from '../../shared/plan/decision/desired.ts';
import { observeChild } from '../../shared/plan/observed/observed.ts';
import type { ObservedResource } from '../../shared/plan/observed/observed-resource.ts';
import { readObjectOf } from '../../shared/plan/observed/read-object.ts';
import { type Found, keyOfReference } from '../../shared/plan/observed/world.ts';
import { isNoop, plan } from '../../shared/plan/plan.ts';
import { findingOf } from '../../shared/plan/status/finding.ts';
import { identity } from '../support/observe.ts';
import { shop } from '../support/shop.ts';
import { unexplored } from '../support/unexplored.ts';

const resource: ObservedResource = {
  name: 'one',
  namespace: 'team',
  uid: 'u',
  createdAt: '2026-01-01T00:00:00Z',
  resourceVersion: '1',
  generation: 1,
  deleting: false,
  suspended: false,
  observeOnly: false,
  strayStatus: false,
  spec: { settings: 'settings', tokens: ['a'] },
  status: {},
  applied: {},
};

const references = [
  { type: configMap, namespace: 'team', name: 'settings' },
  { type: secret, namespace: 'team', name: 'a' },
] as const;
const [settings, token] = references.map(keyOfReference) as [string, string];

const found: Found = {
  resourceVersion: '7',
  object: readObjectOf(configMap, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', uid: 'c', resourceVersion: '7', creationTimestamp: '' },
    data: { tag: 'v1' },
  }),
};
const failure = { reason: 'Forbidden', message: 'Secret a cannot be read: no', transient: false };

const live = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'one',
    namespace: 'team',
    uid: 'd',
    resourceVersion: '3',
    creationTimestamp: '',
    ownerReferences: [
      { apiVersion: 'example.org/v1', kind: 'Shop', name: 'one', uid: 'u', controller: true },
    ],
  },
};
const child = observeChild(shop.owns[0]!, live, { identity });

const worldWith = (reads: readonly (readonly [string, Found])[]) => ({
  ...unexplored,
  identity,
  kind: shop,
  resource,
  reads: new Map(reads),
  children: new Map([[keyOf(child), child]]),
});

describe('the desired children of a resource', () => {
  it('are unknown until every object that the resource refers to was read', () => {
    expect(desiredOf(worldWith([]))).toEqual({ missing: references });
    expect(desiredOf(worldWith([[settings, found]]))).toEqual({ missing: [references[1]] });
    expect(plan(worldWith([]))).toMatchObject({ state: 'unseen', references });
  });

  it('are invalid if the kind refuses the spec', () => {
    const invalid = { invalid: 'no' };
    const kind = { ...shop, references: () => [], desired: () => invalid };
    expect(desiredOf({ ...worldWith([]), kind })).toEqual(invalid);
  });

  it('depend on which of the referenced objects exist', () => {
    const desired = desiredOf(
      worldWith([
        [settings, found],
        [token, {}],
      ]),
    );
    expect(desired).toMatchObject({
      children: [{ body: { spec: { template: { spec: { containers: [{ image: 'web:v1' }] } } } } }],
    });
  });

  const now = Date.parse('2026-03-01T12:00:00Z');
  const asking = (...times: readonly (string | Date)[]) => {
    const answers: boolean[] = [];
    const kind = {
      ...shop,
      references: () => [],
      desired: (_: unknown, __: unknown, isPast: IsPast = () => false) => {
        answers.push(...times.map(isPast));
        return [];
      },
    };
    return { answers, found: desiredOf({ ...worldWith([]), now, kind }) };
  };
  it.each([
    [[], undefined, 'the kind asks about no time'],
    [['2026-03-01T12:00:00Z'], undefined, 'the time has come'],
    [['2026-03-01T12:00:00.001Z'], '2026-03-01T12:00:00.001Z', 'it comes in a millisecond'],
    [['2026-03-01T13:30:00+01:00'], '2026-03-01T12:30:00.000Z', 'other time zones'],
    [[new Date(now + 1000)], '2026-03-01T12:00:01.000Z', 'a Date'],
    [
      ['2026-04-01T00:00:00Z', '2026-03-02T00:00:00Z', '2026-02-01T00:00:00Z'],
      '2026-03-02T00:00:00.000Z',
      'the earliest of those to come',
    ],
  ])('come with the next time of %j: %s (%s)', (times, until, _reason) => {
    const { answers, found } = asking(...times);
    expect(found).toMatchObject({ children: [] });
    expect('until' in found ? found.until : undefined).toBe(until);
    expect(answers).toEqual(times.map((time) => new Date(time).getTime() <= now));
  });

  it.each([
    '',
    'soon',
    'May 1',
    '2026-03-01',
    '2026-03-01T12:00:00',
    '2026-02-31T25:00:00Z',
    new Date(Number.NaN),
    new Date(8e15),
  ])('are invalid if the kind asks about %s, which is no time of RFC 3339', (time) => {
    expect(asking(time).found).toMatchObject({
      broken: true,
      invalid: expect.stringMatching(/isPast: .* is not a time such as 2026-01-31T00:00:00Z/),
    });
  });

  it('are unknown if a referenced object cannot be read: no child changes, and the failure names the object', () => {
    const world = worldWith([
      [settings, found],
      [token, { failure }],
    ]);
    const planned = plan(world);
    expect(planned).toEqual({
      state: 'planned',
      desiredKeys: [keyOf(child)],
      referenceFailed: true,
      exposures: [],
      deletions: [],
      decisions: [
        {
          type: secret,
          namespace: 'team',
          verb: 'fail',
          ...failure,
          child: { apiVersion: 'v1', kind: 'Secret', name: 'a' },
        },
      ],
    });
    expect(isNoop(planned)).toBe(false);
    const ref = { apiVersion: 'v1', kind: 'Secret', name: 'a' };
    const outcome = { child: ref, result: 'failed', ...failure } as const;
    expect(findingOf(world, planned, [outcome])).toMatchObject({
      summary: { state: 'Stalled', reason: 'Forbidden', message: failure.message },
      desired: [child],
      others: [],
      acted: true,
    });
  });

  it.each([
    [{ spec: { replicas: Number.parseInt('three', 10) } }, 'body.spec.replicas is NaN'],
    [{ spec: { replicas: 3n } }, 'body.spec.replicas is 3'],
    [
      { spec: { env: [{ a: new Map([['b', 'c']]) }] } },
      'body.spec.env[0].a is an object of class Map',
    ],
    [{ data: { a: Buffer.from('secret') } }, 'body.data.a is an object of class Buffer'],
    [{ spec: { at: new Date(0) } }, 'body.spec.at is an object of class Date'],
    [{ spec: { run: () => {} } }, 'body.spec.run is a function'],
    [{ spec: { args: ['a', undefined] } }, 'body.spec.args[1] is undefined'],
    [{ spec: { args: Array(2) } }, 'body.spec.args[0] is undefined'],
  ])('are invalid if JSON would change a value: %o', (body, problem) => {
    const plain = { type: configMap, name: 'a', body: { data: {}, of: Object.create(null) } };
    const desired = () => [plain, { type: configMap, name: 'b', body: body as never }];
    const kind = { ...shop, references: () => [], desired };
    const message = `the kind's code fails: ConfigMap b: ${problem}, which is not a JSON value`;
    expect(desiredOf({ ...worldWith([]), kind })).toEqual({ invalid: message, broken: true });
  });

  it('are invalid if a reference has an illegal name', () => {
    const spec = { settings: 'a/b' };
    expect(plan({ ...worldWith([]), resource: { ...resource, spec } })).toEqual({
      state: 'invalid',
      message: '"a/b" is not a valid ConfigMap name (reads.settings)',
    });
  });
});

describe('an object that a resource refers to', () => {
  it.each([
    { own: 'team', namespace: 'team', want: undefined },
    { own: '', namespace: 'team', want: 'team' },
    { own: '', namespace: '', want: undefined },
  ])('of a resource in "$own" is shown with its namespace: $want', ({ own, namespace, want }) => {
    const ref = refToReference({ namespace: own }, { type: configMap, namespace, name: 'a' });
    expect(Object.entries(ref)).toEqual(
      Object.entries({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'a',
        ...(want === undefined ? {} : { namespace: want }),
      }),
    );
  });

  it('is passed to the kind if it exists', () => {
    const find = (reads: ReadonlyMap<string, Found>) => finderIn(reads)(references[0]);
    expect(find(new Map())).toBeUndefined();
    expect(find(new Map([[settings, {}]]))).toBeUndefined();
    expect(find(new Map([[settings, { failure }]]))).toBeUndefined();
    expect(find(new Map([[settings, found]]))).toMatchObject({ data: { tag: 'v1' } });
  });
});
