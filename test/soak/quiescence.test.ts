import { describe, expect, it } from 'vitest';
import type { ResourceStatus } from '../../shared/plan/observed/recorded-status.ts';
import type { Live } from '../scenarios/api.ts';
import { type Resync, unexplainedWrites, untilQuiescent } from './quiescence.ts';
import type { OwnWrite } from './record.ts';
import type { Scenes } from './scenes.ts';

const key = 'foos.example.com soak-1/f';
const child = 'deployments.apps soak-1/a';

const write = (over: Partial<OwnWrite> = {}): OwnWrite => ({
  key,
  subresource: 'status',
  verb: 'apply',
  manager: 'serverless-reconciler',
  sender: 'resync',
  sent: 0,
  at: 1,
  uid: 'f',
  version: '2',
  controller: undefined,
  owner: undefined,
  ...over,
});

interface State {
  /** The resourceVersion of the child. */
  readonly version?: string;
  readonly listed?: readonly string[];
  readonly message?: string;
}

const scenes = ({ version = '1', listed = ['a'], message = '' }: State = {}): Scenes => {
  const metadata = (name: string) => ({
    name,
    namespace: 'soak-1',
    uid: name,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  });
  const children = listed.map((name) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name }));
  const condition = { type: 'Ready', status: 'False', reason: 'Blocked', message } as const;
  const status: ResourceStatus = {
    children,
    conditions: [{ ...condition, observedGeneration: 1, lastTransitionTime: '' }],
  };
  const apiVersion = 'example.com/v1alpha1';
  const owner = { apiVersion, kind: 'Foo', name: 'f', uid: 'f', controller: true };
  const foo: Live = { apiVersion, kind: 'Foo', metadata: metadata('f'), status };
  const deployment: Live = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadata('a'), resourceVersion: version, ownerReferences: [owner] },
  };
  return new Map([['soak-1', { resources: [foo], children: [deployment] }]]);
};

const resync = (from: State, to: State, writes: readonly OwnWrite[] = [write()]): Resync => ({
  writes,
  before: scenes(from),
  after: scenes(to),
});
const still = resync({}, {}, []);

describe('a write of a resync while nothing changes', () => {
  it.each<{ of: string; earlier?: Resync; now: Resync; faults: readonly RegExp[] }>([
    {
      of: 'of a status that reports something else about the same children',
      now: resync({ message: 'one' }, { message: 'another' }),
      faults: [/apply foos.example.com soak-1\/f\/status .*message is "another", not "one"/],
    },
    {
      of: 'of a status in which nothing changed',
      now: resync({}, {}),
      faults: [/nothing changed/],
    },
    {
      of: 'of a status after a child changed during this resync',
      now: resync({}, { version: '2' }),
      faults: [],
    },
    {
      of: 'of a status after a child changed since the previous resync',
      earlier: resync({}, { version: '2' }, []),
      now: resync({ version: '2' }, { version: '2' }),
      faults: [],
    },
    {
      of: 'of an Event although no child changed',
      now: resync({}, {}, [write({ key: 'events soak-1/e', subresource: '', verb: 'create' })]),
      faults: [/create events soak-1\/e/],
    },
    {
      of: 'of a status that loses some foreign names',
      now: resync({ listed: ['a', 'x', 'y', 'z'] }, { listed: ['a', 'z'] }),
      faults: [],
    },
    {
      of: 'of a status that keeps as many foreign names',
      now: resync({ listed: ['a', 'x'] }, { listed: ['a', 'y'] }),
      faults: [/name is "y", not "x"/],
    },
    {
      of: 'of a status that loses a child of its own',
      now: resync({ listed: ['a'] }, { listed: [] }),
      faults: [/children/],
    },
    {
      of: 'of a child, whatever changed',
      now: resync({}, { version: '2' }, [write({ key: child, subresource: '' })]),
      faults: [/apply deployments.apps soak-1\/a/],
    },
  ])('$of', ({ earlier = still, now, faults }) => {
    const found = unexplainedWrites(earlier, now);
    expect(found).toHaveLength(faults.length);
    for (const [at, fault] of faults.entries()) expect(found[at]).toMatch(fault);
  });
});

describe('a series of resyncs', () => {
  const version = (resyncs: number): State => ({ version: String(resyncs) });

  it('ends with the first resync without writes, and reports faults of earlier ones', async () => {
    const coming = [resync({ message: 'one' }, { message: 'another' }), still, resync({}, {})];
    const next = async () => coming.shift() ?? still;
    const { resyncs, faults } = await untilQuiescent(still, { done: 2, next });
    expect(resyncs).toBe(4);
    expect(faults).toHaveLength(1);
  });

  it('does not continue forever, even if each write has a reason', async () => {
    let count = 0;
    const next = async () => resync(version(count), version(++count));
    const { resyncs, faults } = await untilQuiescent(still, { done: 2, next });
    expect(resyncs).toBe(2000 / 16 + 1);
    expect(faults).toEqual([expect.stringMatching(/^still: .* soak-1\/f\/status/)]);
  });
});
