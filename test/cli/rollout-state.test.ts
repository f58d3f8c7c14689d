import { describe, expect, it } from 'vitest';
import { rolloutsIn } from '../../infra/actions/rollout-state.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { rolloutAnnotation } from '../../shared/kinds/names.ts';
import type { ObjectMeta } from '../../shared/kubernetes.ts';
import type { ObservedResource } from '../../shared/plan/observed/observed-resource.ts';
import type { MarkReason } from '../../shared/plan/observed/rollout-mark.ts';
import type { Run } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { minute, now, policy } from '../rollout/rollout-members.ts';

type Ready = 'True' | 'False';

/** A resource that waits since minute `at`, or finished at that time; its Ready condition is from minute 5. */
function resource(
  name: string,
  reason?: MarkReason,
  { ready = 'True', at = 10 }: { ready?: Ready; at?: number } = {},
): ObservedResource {
  const condition = {
    type: 'Ready',
    status: ready,
    reason: 'Progressing',
    message: `${name} is not ready`,
    observedGeneration: 1,
    lastTransitionTime: minute(5),
  };
  const mark = { since: minute(25), statusSince: minute(at), target: undefined, at: 0 };
  return {
    name,
    namespace: 'n',
    uid: name,
    createdAt: '2026-01-01T00:00:00Z',
    resourceVersion: '1',
    generation: 1,
    spec: {},
    deleting: false,
    suspended: false,
    observeOnly: false,
    strayStatus: false,
    status: { observedGeneration: 1, conditions: [condition] },
    applied: {},
    ...(reason === undefined ? {} : { rollout: { reason, ...mark } }),
  };
}

/** A run whose CRDs all have this metadata; `reads` lists those that it reads. */
function runOn(metadata: () => Promise<ObjectMeta | undefined>) {
  const reads: string[] = [];
  const cluster = {
    getMetadata: (_: object, { name }: { readonly name: string }) => {
      reads.push(name);
      return metadata();
    },
  } as unknown as Cluster;
  const clients = { now: () => now } as Run['clients'];
  const settings = { trigger: 'resync' as const, seed: 1, rollout: policy };
  const run = { cluster, clients, policy: settings };
  return { reads, run };
}

const definition = async (value?: string): Promise<ObjectMeta> => ({
  name: 'd',
  uid: 'd',
  resourceVersion: '1',
  creationTimestamp: minute(0),
  ...(value === undefined ? {} : { annotations: { [rolloutAnnotation]: value } }),
});

const found = [
  resource('a', 'RolledOut', { at: 12 }),
  resource('b', 'RolledOut', { at: 9 }),
  resource('c', 'RollingOut', { ready: 'False' }),
  resource('d', 'Waiting'),
  resource('e', 'Waiting', { ready: 'False' }),
  resource('f'),
].map((one) => ({ kind: foo, resource: one }));
const others = [resource('g', 'RolledOut'), resource('h')].map((one) => ({
  kind: website,
  resource: one,
}));

describe('the rollouts of listed resources', () => {
  it('are those in progress, and only their CRDs are read', async () => {
    const { reads, run } = runOn(() => definition());
    expect(await rolloutsIn(run, [...others, ...found])).toMatchObject([
      {
        kind: 'Foo',
        resource: 'foos.example.com',
        state: 'underWay',
        resources: 6,
        underWay: 1,
        failed: 0,
        waiting: 2,
        unable: 1,
        budget: 3,
        members: [{ name: 'c', state: 'underWay', message: 'Progressing: c is not ready' }],
      },
    ]);
    expect(reads).toEqual(['foos.example.com']);
  });

  it('count resources as done that finished since the first waiting one began to wait', async () => {
    const { run } = runOn(() => definition());
    expect(await rolloutsIn(run, found)).toMatchObject([{ done: 1 }]);
  });

  it('are counted by kind', async () => {
    const { reads, run } = runOn(() => definition());
    const sites = [resource('g', 'Waiting'), resource('h', 'Waiting')];
    const both = [...found, ...sites.map((one) => ({ kind: website, resource: one }))];
    expect(await rolloutsIn(run, both)).toMatchObject([
      { kind: 'Foo', resources: 6, waiting: 2 },
      { kind: 'Website', resources: 2, waiting: 2, underWay: 0 },
    ]);
    expect(reads.toSorted()).toEqual(['foos.example.com', 'websites.kubecon.my.domain']);
  });

  it('are paused, or halted', async () => {
    const { run } = runOn(() => definition('paused'));
    expect(await rolloutsIn(run, found)).toMatchObject([{ state: 'paused' }]);
    const failed = { kind: foo, resource: resource('i', 'RolloutHalted', { ready: 'False' }) };
    expect(await rolloutsIn(runOn(() => definition()).run, [...found, failed])).toMatchObject([
      { state: 'halted', failed: 1 },
    ]);
    // The rollout was resumed after the failure.
    const later = runOn(() => definition('2026-11-22T12:26:00Z'));
    expect(await rolloutsIn(later.run, [...found, failed])).toMatchObject([
      { state: 'underWay', failed: 1, members: [{ name: 'i', state: 'forgiven' }, { name: 'c' }] },
    ]);
  });

  it('are shown as not paused if the CRD is gone or may not be read', async () => {
    for (const metadata of [async () => undefined, () => Promise.reject(new Error('forbidden'))])
      expect(await rolloutsIn(runOn(metadata).run, found)).toMatchObject([{ state: 'underWay' }]);
  });

  it('are empty, without a read, if rollouts are off or complete', async () => {
    const { reads, run } = runOn(() => definition());
    const off = { ...run, policy: { trigger: 'resync' as const, seed: 1 } };
    expect(await rolloutsIn(off, found)).toEqual([]);
    expect(await rolloutsIn(run, others)).toEqual([]);
    expect(reads).toEqual([]);
  });
});
