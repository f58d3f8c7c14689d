import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../shared/kubernetes.ts';
import * as engine from '../../shared/plan/observed/observed-resource.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { casesOf } from '../support/cases.ts';
import { identity, observeResource } from '../support/observe.ts';
import { createdAt, website, websiteUid } from '../support/resources.ts';

const resources: Record<
  string,
  { reason: string; given: KubeObject; want: Partial<engine.ObservedResource> }
> = {
  Sample: {
    reason: 'keeps only the fields that planning needs',
    given: website(),
    want: {
      name: 'website-sample',
      namespace: 'default',
      uid: websiteUid,
      resourceVersion: '286',
      generation: 1,
      deleting: false,
      suspended: false,
      observeOnly: false,
      spec: { imageTag: 'latest', nodePort: 31000 },
      status: website().status,
    },
  },
  Labelled: {
    reason: 'has the labels, without those that each child has of its own',
    given: website({
      metadata: {
        labels: {
          team: 'a',
          'app.kubernetes.io/name': 'web',
          'app.kubernetes.io/managed-by': 'Helm',
          'app.kubernetes.io/part-of': 'site',
          'app.kubernetes.io/instance': 'release',
        },
      },
    }),
    want: { labels: { team: 'a', 'app.kubernetes.io/name': 'web' } },
  },
  Unlabelled: {
    reason: 'takes null for no labels',
    given: website({ metadata: { labels: null as never } }),
    want: { spec: { imageTag: 'latest', nodePort: 31000 } },
  },
  New: {
    reason: 'accepts a resource without a status',
    given: website({ status: undefined }),
    want: { status: {} },
  },
  'C-7 Deleting': {
    reason: 'marks a resource that is being deleted',
    given: website({ metadata: { deletionTimestamp: createdAt } }),
    want: { deleting: true, deletedAt: createdAt },
  },
  'C-7 Held': {
    reason: 'has the indexes of our finalizers among those of others',
    given: website({
      metadata: {
        deletionTimestamp: createdAt,
        finalizers: ['a.example.com/b', 'kubecon.my.domain/serverless-reconciler', 'orphan'],
      },
    }),
    want: {
      deleting: true,
      deletedAt: createdAt,
      finalizers: [1],
      otherFinalizers: ['a.example.com/b', 'orphan'],
      orphans: true,
    },
  },
  'C-14 Suspended': {
    reason: 'is suspended if the annotation has the value true',
    given: website({ metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } } }),
    want: { suspended: true },
  },
  'C-14 NotSuspended': {
    reason: 'is not suspended if the annotation has another value',
    given: website({ metadata: { annotations: { 'serverless-reconciler/suspend': 'yes' } } }),
    want: { suspended: false },
  },
};

describe('observeResource', () => {
  const ours = {
    manager: identity.name,
    operation: 'Apply',
    subresource: 'status',
    fieldsV1: { 'f:status': { 'f:lastApplied': {} } },
  };
  it.each<[string, unknown, boolean]>([
    ['our entry for the status', [{ ...ours, subresource: undefined }, ours], true],
    ['an entry of ours for other fields', [{ ...ours, subresource: undefined }], false],
    ['an Update under our name', [{ ...ours, operation: 'Update' }], false],
    ['an entry of another manager', [{ ...ours, manager: 'kubectl' }], false],
    ['law 17 a malformed managedFields entry', [null, 1, 'x', []], false],
    ['law 17 managedFields that are not a list', { manager: 'x' }, false],
    ['no managedFields', undefined, false],
  ])(
    'trusts the records of the last applies only if our managedFields entry holds them: %s',
    (_, managedFields, want) => {
      const live = website({
        metadata: { managedFields: managedFields as never },
        status: { children: [], lastApplied: { children: [] } },
      });
      const { status } = engine.observeResource(websiteKind, live, { identity });
      expect(status.lastApplied !== undefined).toBe(want);
    },
  );

  it.each(casesOf(resources))('%s', (_, { given, want }) => {
    expect(observeResource(given)).toEqual({ ...observeResource(website()), ...want });
  });
});
