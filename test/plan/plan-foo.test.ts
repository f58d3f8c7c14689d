import { describe, expect, it } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { keyOf } from '../../shared/kubernetes.ts';
import type { DecisionBody } from '../../shared/plan/decision/decision.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { casesOf } from '../support/cases.ts';
import { fooDeployment, websiteService } from '../support/children.ts';
import {
  adoptable,
  type Case,
  create,
  decision,
  exists,
  none,
  owner,
  planned,
  planOf,
  ref,
  remove,
  update,
  wait,
} from '../support/decisions.ts';
import { applied, edited, scaled } from '../support/edits.ts';
import { createdAt, foo } from '../support/resources.ts';
import { fieldsOfChild } from '../support/worlds.ts';

const fooName = 'foo-sample';
const renamed = foo({ metadata: { generation: 2 }, spec: { deploymentName: 'b' } });
const oldOne = fooDeployment();
const newOne = fooDeployment({ metadata: { name: 'b', uid: 'uid-b' } });
const only = (verb: DecisionBody, target = fooName) =>
  planned([decision('Deployment', target, verb)]);
const foreignOwner = (over: { apiVersion?: string; uid: string }) =>
  fooDeployment({ metadata: { ownerReferences: [{ ...owner(foo()), ...over }] } });
const clearedAndApplied = applied(
  edited(fooDeployment(), { by: 'kubectl' }, ({ metadata }) => {
    metadata.managedFields = [{}];
  }),
  { by: 'argocd' },
  { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: fooName, labels: { a: 'b' } } },
);

const foos: Record<string, Case> = {
  'F-3 Followed': {
    reason: 'replicas of the Foo changed',
    resource: foo({ spec: { replicas: 3 } }),
    live: [fooDeployment()],
    want: only(
      update(fooDeployment(), fieldsOfChild(foo({ spec: { replicas: 3 } }), 'Deployment'), {
        differences: [{ path: 'spec.replicas', from: 1, to: 3, writer: undefined }],
        kept: {
          fields: fieldsOfChild(foo({ spec: { replicas: 3 } }), 'Deployment'),
          whole: fieldsOfChild(foo({ spec: { replicas: 3 } }), 'Deployment'),
          long: [],
          initial: [],
          handsOver: ['spec.replicas'],
        },
      }),
    ),
  },
  'F-1 TakenAway': {
    reason: 'keeps applying the live value',
    resource: foo({ spec: { replicas: undefined } }),
    live: [fooDeployment()],
    want: only(
      update(fooDeployment(), fieldsOfChild(foo({ spec: { replicas: undefined } }), 'Deployment'), {
        differences: [{ path: 'spec.replicas', from: 1, to: undefined, writer: undefined }],
        kept: {
          fields: fieldsOfChild(foo({ spec: { replicas: 1 } }), 'Deployment'),
          whole: fieldsOfChild(foo({ spec: { replicas: undefined } }), 'Deployment'),
          long: [],
          initial: [],
          handsOver: ['spec.replicas'],
        },
      }),
    ),
  },
  'F-1 Autoscaled': {
    reason: 'keeps a value that was never ours',
    resource: foo({ spec: { replicas: undefined } }),
    live: [scaled(fooDeployment(), 7)],
    want: only(none),
  },
  'F-6 Renamed': {
    reason: 'creates the new child before it deletes the old one',
    resource: renamed,
    live: [oldOne],
    want: planned(
      [decision('Deployment', 'b', create(fieldsOfChild(renamed, 'Deployment'), false))],
      [decision('Deployment', fooName, remove(oldOne))],
    ),
  },
  'F-6 OldIsForeign': {
    reason: 'keeps an old child that is foreign',
    resource: renamed,
    live: [newOne, foreignOwner({ uid: 'other' })],
    want: only(none, 'b'),
  },
  'C-5 Unseen': {
    reason: 'reads a child by name that the status lists and no list contains',
    resource: renamed,
    live: [newOne],
    want: {
      state: 'unseen',
      listed: [{ ...ref('Deployment', fooName), type: deployment }],
      names: [],
      deletions: [],
    },
  },
  'C-5 ReadByName': {
    reason: 'deletes a child of ours that has lost its labels',
    resource: renamed,
    live: [newOne, fooDeployment({ metadata: { labels: undefined } })],
    want: planned(
      [decision('Deployment', 'b', none)],
      [decision('Deployment', fooName, remove(oldOne))],
    ),
  },
  'C-5 ReadAndAbsent': {
    reason: 'needs no deletion if the child does not exist',
    resource: renamed,
    live: [newOne],
    absent: [keyOf(ref('Deployment', fooName))],
    want: only(none, 'b'),
  },
  'C-5 KindOfThePast': {
    reason: 'ignores a listed child of an unknown type',
    resource: foo({
      status: { children: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'x' }] },
    }),
    live: [fooDeployment()],
    want: only(none),
  },
  'C-5 KindNeverOwned': {
    reason: 'ignores a listed child of a type that the kind does not own',
    resource: foo({
      status: { children: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'x' }] },
    }),
    live: [fooDeployment()],
    want: only(none),
  },
  'C-5 KindNoLongerOwned': {
    reason: 'prunes a child of a type that the resource no longer uses',
    live: [
      fooDeployment(),
      websiteService({ metadata: { name: 'x', ownerReferences: [owner(foo())] } }),
    ],
    want: planned(
      [decision('Deployment', fooName, none)],
      [decision('Service', 'x', remove(websiteService()))],
    ),
  },
  'C-13 LeftoverDeleting': {
    reason: 'does not delete a child twice',
    resource: renamed,
    live: [newOne, fooDeployment({ metadata: { deletionTimestamp: createdAt } })],
    want: planned(
      [decision('Deployment', 'b', none)],
      [decision('Deployment', fooName, wait(fooName))],
    ),
  },
  'F-8 OtherUid': {
    reason: 'keeps a child of a former Foo of the same name',
    live: [foreignOwner({ uid: 'old' })],
    want: only(exists(fooName, 'Foo')),
  },
  'F-8 OtherGroup': {
    reason: 'keeps a child of a kind of the same name in another group',
    live: [foreignOwner({ apiVersion: 'other.com/v1', uid: 'theirs' })],
    want: only(exists(fooName, 'Foo')),
  },
  'F-10 Second': {
    reason: 'reports a Deployment that another Foo has',
    resource: foo({ metadata: { name: 'second', uid: 'uid-second' }, status: undefined }),
    live: [fooDeployment()],
    want: only(
      exists(fooName, 'Foo', 'Deployment', `, labelled app.kubernetes.io/instance=${fooName}`),
    ),
  },
  'F-10 Swapped': {
    reason: 'reports a Deployment of another Foo, and prunes its own later',
    resource: foo({ spec: { deploymentName: 'b' } }),
    live: [fooDeployment(), fooDeployment({ metadata: { name: 'b', ownerReferences: [] } })],
    want: planned(
      [decision('Deployment', 'b', exists('b', 'Foo', 'Deployment', adoptable('Foo', fooName)))],
      [decision('Deployment', fooName, remove(fooDeployment()))],
    ),
  },
};

describe('the plan of a Foo', () => {
  it.each(casesOf(foos))('%s', (_, { reason, want, ...given }) => {
    expect(planOf(fooKind, foo(), given), reason).toEqual(want);
  });

  it('D-6 takes back ownership of an immutable field with the desired value', () => {
    const planned = planOf(fooKind, foo(), { live: [clearedAndApplied] });
    const [decision] = planned.state === 'planned' ? planned.decisions : [];
    const paths = decision?.verb === 'update' ? decision.differences?.map(({ path }) => path) : [];
    expect(paths).toContain('spec.selector');
  });
});
