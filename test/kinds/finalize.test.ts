import { describe, expect, test } from 'vitest';
import {
  type Child,
  child,
  configMap,
  defineKind,
  gone,
  ingress,
  job,
  kept,
  namespace,
  secret,
  Type,
} from '../../index.ts';
import { checkKinds } from '../../infra/check/check-kinds.ts';
import { rulesFor } from '../../infra/generate/rbac.ts';
import { depot } from '../support/finalizing-kind.ts';

const pod = { restartPolicy: 'Never' as const, containers: [{ name: 'a', image: 'a' }] };
const jobOf = (name: string, more: Pick<Child, 'step'> = {}) =>
  child(job, { name, body: { spec: { template: { spec: pod } } }, ...more });

const kindWith = (
  finalize: () => readonly Child[],
  more: { readonly children?: () => readonly Child[]; readonly finalizeSeconds?: number } = {},
) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Depot',
    plural: 'depots',
    spec: Type.Object({}),
    samples: [{ name: 'north', spec: {} }],
    owns: [configMap, ingress, job],
    formerly: [secret],
    children: () => [],
    finalize,
    ...more,
  });
const resource = {
  name: 'north',
  namespace: 'a',
  uid: 'u',
  createdAt: '2026-01-01T00:00:00Z',
  spec: {},
};

describe('finalize', () => {
  test('makes a step of every Job that is not one yet, and of no other child', () => {
    const { finalize } = kindWith(() => [
      jobOf('a'),
      jobOf('b', { step: 'each-time' }),
      gone(job, { name: 'c' }),
      child(configMap, { name: 'd', body: {} }),
    ]);
    const found = finalize?.(resource);
    expect(Array.isArray(found) && found.map(({ name, step }) => [name, step])).toEqual([
      ['a', 'once'],
      ['b', 'each-time'],
      ['c', undefined],
      ['d', undefined],
    ]);
  });

  test('gets the spec with its defaults, which must be valid', () => {
    expect(depot.finalize?.(resource)).toHaveLength(2);
    expect(depot.finalize?.({ ...resource, spec: { image: 1 } })).toMatchObject({
      invalid: expect.stringContaining('image'),
    });
  });

  test.each<[string, Child, string]>([
    [
      'an Ingress',
      gone(ingress, { name: 'a' }),
      'finalize[0], Ingress a: a child of this type is deleted with its resource; omit it from finalize',
    ],
    [
      'an Ingress to keep',
      kept(ingress, { name: 'a' }),
      'finalize[0], Ingress a: a child of this type is deleted with its resource; omit it from finalize',
    ],
    [
      'an object of a former type to keep, which it may only delete',
      kept(secret, { name: 'a' }),
      'its type is listed in `formerly`; move it to `owns`',
    ],
    [
      'a type that is only read',
      child(secret, { name: 'a', body: {} }),
      'its type is listed in `formerly`; move it to `owns`',
    ],
    [
      'a namespace for a namespaced child',
      gone(configMap, { name: 'a', namespace: 'b' }),
      'finalize[0], ConfigMap b/a: omit its namespace',
    ],
  ])('may not return %s', (_, wrong, message) => {
    expect(() => kindWith(() => [wrong]).finalize?.(resource)).toThrow(message);
  });

  test('may require that an object of a former type is gone', () => {
    expect(kindWith(() => [gone(secret, { name: 'a' })]).finalize?.(resource)).toHaveLength(1);
  });

  test('may keep a Namespace', () => {
    const { finalize } = kindWith(() => [kept(namespace, { name: 'a' })]);
    expect(finalize?.(resource)).toHaveLength(1);
  });

  test.each([
    [gone, 'gone() is for finalize only; to delete a child, omit it'],
    [kept, 'kept() is for finalize only; use child()'],
  ])('allows %o, which children does not', (declare, message) => {
    const { desired } = kindWith(() => [], { children: () => [declare(configMap, { name: 'a' })] });
    expect(() => desired(resource)).toThrow(`children[0], ConfigMap a: ${message}`);
  });

  test.each([0, Number.NaN])('refuses a time limit of %o', (finalizeSeconds) => {
    expect(() => kindWith(() => [], { finalizeSeconds })).toThrow(
      `finalizeSeconds is ${finalizeSeconds}; it must be at least 1`,
    );
  });

  test('has a time limit of an hour by default', () => {
    expect(kindWith(() => []).finalizeSeconds).toBe(3600);
  });
});

describe('the check of a kind', () => {
  const problemsOf = async (finalize: () => readonly Child[]) => {
    const { problems, warnings } = await checkKinds([kindWith(finalize)]);
    return [...problems, ...warnings].map((text) => text.replace(/ \(file:.*\)$/, ''));
  };

  test('finds nothing wrong with a sound clean-up', async () => {
    expect(await checkKinds([depot])).toEqual({ problems: [], warnings: [] });
  });

  test.each<[string, () => readonly Child[], RegExp]>([
    ['a type that it does not own', () => [child(secret, { name: 'a', body: {} })], /formerly/],
    [
      'a need that is no child of the clean-up',
      () => [gone(configMap, { name: 'a', needs: [{ type: job, name: 'b' }] })],
      /needs names Job b, which is not a child of the resource \(in finalize\)/,
    ],
    [
      'a random name',
      () => [jobOf(`a-${Math.random().toString(36).slice(2)}`)],
      /returns a different Job .* \(in finalize\)/,
    ],
    [
      'a Job that the API server refuses',
      () => [
        child(job, {
          name: 'a',
          body: { spec: { template: { spec: { restartPolicy: 'Never', containers: [] } } } },
        }),
      ],
      /spec\.template\.spec\.containers.*\(in finalize\)/s,
    ],
    [
      'a Job that is gone before a run sees its end',
      () => [
        child(job, {
          name: 'a',
          body: { spec: { ttlSecondsAfterFinished: 5, template: { spec: pod } } },
        }),
      ],
      /Job a: a TTL could delete the step .*; remove `ttlSecondsAfterFinished`/,
    ],
  ])('finds %s', async (_, finalize, want) => {
    expect((await problemsOf(finalize)).join('\n')).toMatch(want);
  });
});

test('only a kind that cleans up needs the permission to patch its resources', () => {
  const { finalize: _, ...plain } = depot;
  const patching = (kind: typeof depot) =>
    rulesFor([kind]).filter(
      ({ resources, verbs }) => resources.includes('depots') && verbs.includes('patch'),
    );
  expect(patching(depot)).toEqual([
    { apiGroups: ['example.org'], resources: ['depots'], verbs: ['patch'] },
  ]);
  expect(patching(plain)).toEqual([]);
});
