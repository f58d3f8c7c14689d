import { describe, expect, it } from 'vitest';
import { type Cause, explain } from './causes.ts';
import type { ForeignWrite, InjectedFault, OwnWrite, Record } from './record.ts';

const foo = 'foos.example.com soak-1/f';
const child = 'deployments.apps soak-1/a';
const sibling = 'services soak-1/a';
const second = 1_000;

const write = (at: number, over: Partial<OwnWrite> = {}): OwnWrite => ({
  key: child,
  subresource: '',
  verb: 'apply',
  manager: 'serverless-reconciler',
  sender: 'resync',
  sent: at * second - 5,
  at: at * second,
  uid: 'u',
  version: '1',
  controller: undefined,
  owner: foo,
  ...over,
});
const deed = (at: number, key: string, over: Partial<ForeignWrite> = {}): ForeignWrite => ({
  key,
  subresource: '',
  verb: 'patch',
  user: 'admin',
  at: at * second,
  ...over,
});

interface Story {
  readonly of: string;
  readonly writes: readonly OwnWrite[];
  readonly deeds?: readonly ForeignWrite[];
  readonly injectedFaults?: readonly InjectedFault[];
  readonly causes: readonly Cause[];
}

const status = { key: foo, subresource: 'status', owner: undefined };
const controllers = { user: 'system:serviceaccount:kube-system:deployment-controller' };

const stories: readonly Story[] = [
  { of: 'without any cause', writes: [write(10)], causes: ['unexplained'] },
  {
    of: 'after an edit of the resource, which explains only one write',
    deeds: [deed(9, foo)],
    writes: [write(10), write(11)],
    causes: ['author', 'unexplained'],
  },
  {
    of: 'after two edits, which explain two writes',
    deeds: [deed(8, foo), deed(9, foo)],
    writes: [write(10), write(11)],
    causes: ['author', 'author'],
  },
  {
    of: 'long after an edit',
    deeds: [deed(9, foo)],
    writes: [write(9 + 130)],
    causes: ['unexplained'],
  },
  {
    of: 'before an edit',
    deeds: [deed(20, foo)],
    writes: [write(10)],
    causes: ['unexplained'],
  },
  {
    of: 'after an edit of the child',
    deeds: [deed(9, child)],
    writes: [write(10)],
    causes: ['drift'],
  },
  {
    of: 'after the deletion of the child',
    deeds: [deed(9, child, { verb: 'delete' })],
    writes: [write(10)],
    causes: ['deletion'],
  },
  {
    of: 'after the deletion of everything in the namespace',
    deeds: [deed(9, 'deployments.apps soak-1/', { verb: 'deletecollection', ...controllers })],
    writes: [write(10)],
    causes: ['deletion'],
  },
  {
    of: 'after a side effect of a controller',
    deeds: [deed(9, child, controllers), deed(9, child, { subresource: 'status' })],
    writes: [write(10)],
    causes: ['unexplained'],
  },
  {
    of: 'as a step of the same decision, under another manager',
    deeds: [deed(9, foo)],
    writes: [write(10, { manager: 'serverless-reconciler-generated' }), write(11)],
    causes: ['author', 'step'],
  },
  {
    of: 'under another manager, by another process',
    deeds: [deed(9, foo)],
    writes: [
      write(10, { manager: 'serverless-reconciler-generated' }),
      write(11, { sender: 'audit' }),
    ],
    causes: ['author', 'unexplained'],
  },
  {
    of: 'after a sibling that was in the way is gone',
    deeds: [deed(9, sibling, { verb: 'delete' })],
    writes: [write(5, { key: sibling }), write(10)],
    causes: ['unexplained', 'sibling'],
  },
  {
    of: 'after a disturbed request',
    injectedFaults: [{ key: child, sender: 'resync', at: 9 * second }],
    writes: [write(10)],
    causes: ['mishap'],
  },
  {
    of: 'of a status without any change',
    writes: [write(10, status)],
    causes: ['unexplained'],
  },
  {
    of: 'of a status after a child became ready',
    deeds: [deed(9, child, { subresource: 'status', ...controllers })],
    writes: [write(5, { sender: 'x' }), write(10, status)],
    causes: ['unexplained', 'change'],
  },
  {
    of: 'of an Event without anything to report',
    writes: [write(10, { key: 'events soak-1/f.1', owner: foo, verb: 'create' })],
    causes: ['unexplained'],
  },
  {
    of: 'of an Event about a write',
    deeds: [deed(9, foo)],
    writes: [write(10), write(11, { key: 'events soak-1/f.1', owner: foo, verb: 'create' })],
    causes: ['author', 'change'],
  },
];

describe('the cause of a write', () => {
  it.each(stories)('$of', ({ writes, deeds = [], injectedFaults = [], causes }) => {
    const desiredBy = new Map([child, sibling].map((key) => [key, new Set([foo])]));
    const record = { writes, deeds, injectedFaults, desiredBy } as unknown as Record;
    expect(explain(record).map(({ cause }) => cause)).toEqual(causes);
  });
});
