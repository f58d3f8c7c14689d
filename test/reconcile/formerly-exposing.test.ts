/** Tests a kind of which only an earlier version exposed paths. */

import { beforeEach, describe, expect, test } from 'vitest';
import { ingress } from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { kindsFor } from '../support/config.ts';
import { leaks, listOf, misrouted } from './admission.ts';
import { eachCall } from './calls.ts';
import { isWriteRequest, type Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

const settings = { authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' };
const before = kindsFor(settings).find(({ kind }) => kind === 'ContainerApp')!;

/** Defines the kind without endpoints. */
const after: Kind = {
  ...before,
  formerly: [ingress],
  desired(resource) {
    const desired = before.desired(resource);
    return 'invalid' in desired ? desired : desired.filter(({ type }) => type !== ingress);
  },
};

const endpoints = { '/': [], '/a': ['u'], '/a/b': ['v'], '/c': [] };
const none = {};

const engine = useEngine({ controllers: 'paused' });

let place: Place;
beforeEach(async () => {
  await engine.install([before]);
  place = await engine.place([after]);
  await place.api.create(before, 'shop', {
    spec: { image: 'nginx', endpoints: listOf(endpoints) },
  });
  await place.resync({ kinds: [before] });
  expect(misrouted(await exposed(), endpoints)).toEqual([]);
  await engine.install([after]);
});

const exposed = () => place.api.list(ingress);

/** Fails one of the writes, and checks after each one which requests are admitted. */
function watched(failing?: number) {
  let writes = 0;
  const seen: string[] = [];
  const through = (cluster: Cluster): Cluster =>
    eachCall(cluster, async (what, call) => {
      const isWrite = /^(apply|patch|remove)/.test(what) && ++writes === failing;
      if (isWrite) throw new UnreachableError(`lost: ${what}`);
      const response = await call();
      const found = leaks(await exposed(), [endpoints, none]);
      seen.push(...found.map((one) => `${what}: ${one}`));
      return response;
    });
  return { through, seen, writes: () => writes };
}

describe('Ingresses of a kind that no longer owns them', () => {
  test('G-3 are closed with the generated permissions, the shallowest path first', async () => {
    const { through, seen } = watched();
    const report = await place.resync({ through });
    expect(report.failures).toEqual([]);
    expect(seen).toEqual([]);
    expect(await exposed()).toEqual([]);
    const begun = place.requests().length;
    await place.resync();
    expect(place.requests().slice(begun).filter(isWriteRequest)).toEqual([]);
  });

  test('G-3 are closed regardless of PRUNE_LIMIT', async () => {
    await place.resync({ pruneLimit: () => 0 });
    expect(await exposed()).toEqual([]);
  });

  test('G-3 lose their paths one after the other while finalizers keep them', async () => {
    const all = await exposed();
    for (const { metadata } of all)
      await place.api.patch(ingress, metadata.name, {
        metadata: { finalizers: ['example.org/kept'] },
      });
    const { through, seen } = watched();
    // Each run deletes one Ingress, and withdraws the paths of those that are being deleted.
    for (let runs = 0; runs <= all.length; runs++) await place.resync({ through });
    expect(seen).toEqual([]);
    expect(misrouted(await exposed(), none)).toEqual([]);
    expect(await exposed()).toHaveLength(all.length);
  });

  test('G-3 are found without their labels', async () => {
    for (const { metadata } of await exposed())
      await place.api.patch(ingress, metadata.name, { metadata: { labels: null } });
    const { through, seen } = watched();
    await place.resync({ through });
    expect(seen).toEqual([]);
    expect(await exposed()).toEqual([]);
  });

  test('C-6 stay if they are foreign', async () => {
    await place.api.create(ingress, 'other', {
      spec: { defaultBackend: { service: { name: 'other', port: { number: 80 } } } },
    });
    await place.resync();
    expect((await exposed()).map(({ metadata }) => metadata.name)).toEqual(['other']);
  });

  test.each([1, 2, 3, 4, 5, 6])('G-3 are closed in order if write %i fails', async (nth) => {
    const { through, seen } = watched(nth);
    await place.resync({ through });
    const again = watched();
    await place.resync({ through: again.through });
    expect([...seen, ...again.seen]).toEqual([]);
    expect(await exposed()).toEqual([]);
  });
});
