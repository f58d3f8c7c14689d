import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { type ObservedChild, openEntry } from '../../shared/plan/observed/observed.ts';
import { casesOf } from '../support/cases.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';
import { edited, scaled } from '../support/edits.ts';
import { observeChild } from '../support/observe.ts';
import { createdAt, websiteUid } from '../support/resources.ts';

const children: Record<string, { reason: string; given: KubeObject; want: object }> = {
  Sample: {
    reason: 'keeps the identity, version, owner, readiness and facts of a child',
    given: websiteDeployment(),
    want: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'website-sample',
      uid: '370acbd1-ca17-4535-aa3f-bbc5a0f50c45',
      resourceVersion: '285',
      deleting: false,
      controller: websiteUid,
      legacy: false,
      others: [],
      readiness: { state: 'Current' },
      facts: { availableReplicas: 2 },
    },
  },
  'D-4 Labelled': {
    reason: 'keeps the labels by which children are listed, and no others',
    given: websiteService(),
    want: {
      labelled: {
        'app.kubernetes.io/managed-by': 'serverless-reconciler',
        'app.kubernetes.io/part-of': 'website',
        'app.kubernetes.io/instance': 'website-sample',
      },
    },
  },
  'D-4 NotLabelled': {
    reason: 'accepts a child from which labels were removed',
    given: websiteService({
      metadata: { labels: { 'app.kubernetes.io/part-of': undefined, type: 'x' } as never },
    }),
    want: {
      labelled: {
        'app.kubernetes.io/managed-by': 'serverless-reconciler',
        'app.kubernetes.io/instance': 'website-sample',
      },
    },
  },
  'D-4 NoLabels': {
    reason: 'accepts a child without labels',
    given: websiteService({ metadata: { labels: undefined } }),
    want: { labelled: {} },
  },
  'C-6 NoController': {
    reason: 'ignores an owner that is not a controller',
    given: websiteService({
      metadata: {
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'y' }],
      },
    }),
    want: { controller: undefined, deleting: false },
  },
  'C-6 SecondOwner': {
    reason: 'finds the controller among several owners',
    given: websiteService({
      metadata: {
        ownerReferences: [
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'y' },
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'z', uid: 'z', controller: true },
        ],
      },
    }),
    want: {
      controller: 'z',
    },
  },
  'law 17 OddOwners': {
    reason: 'ignores malformed owner references',
    given: websiteService({
      metadata: { ownerReferences: [null, 'x', { uid: 'z', controller: true }] as never },
    }),
    want: { controller: 'z' },
  },
  'law 17 NoOwnerList': {
    reason: 'ignores owner references that are not a list',
    given: websiteService({ metadata: { ownerReferences: { controller: true } as never } }),
    want: { controller: undefined },
  },
  'law 17 LongestUid': {
    reason: "keeps an owner's uid of 64 characters",
    given: websiteService({
      metadata: { ownerReferences: [{ uid: 'u'.repeat(64), controller: true }] as never },
    }),
    want: { controller: 'u'.repeat(64) },
  },
  'law 17 LongUid': {
    reason: 'replaces a longer uid by an empty one, so that the object is foreign',
    given: websiteService({
      metadata: { ownerReferences: [{ uid: 'u'.repeat(65), controller: true }] as never },
    }),
    want: { controller: '' },
  },
  'law 17 NoUid': {
    reason: 'replaces a uid that is not a string by an empty one, too',
    given: websiteService({
      metadata: { ownerReferences: [{ uid: 7, controller: true }] as never },
    }),
    want: { controller: '' },
  },
  InProgress: {
    reason: 'marks a child that is not ready',
    given: websiteDeployment({ status: { updatedReplicas: 0 } }),
    want: { readiness: { state: 'InProgress' } },
  },
  AnonymousWriter: {
    reason: 'accepts a managedFields entry without a manager',
    given: websiteService({
      metadata: { managedFields: [{ operation: 'Update', fieldsV1: { 'f:spec': {} } }] as never },
    }),
    want: { others: [expect.objectContaining({ manager: 'unknown', time: undefined })] },
  },
  StatusWriter: {
    reason: 'ignores a manager that only writes the status',
    given: websiteService({
      metadata: {
        managedFields: [
          { manager: 'x', operation: 'Update', subresource: 'status', fieldsV1: {} },
        ] as never,
      },
    }),
    want: { others: [] },
  },
  'C-13 Deleting': {
    reason: 'marks a child that is being deleted',
    given: websiteService({ metadata: { deletionTimestamp: createdAt } }),
    want: { deleting: true },
  },
  'C-3 Scaled': {
    reason: 'keeps a writer through the scale subresource, which writes fields of the object',
    given: scaled(websiteDeployment(), 5),
    want: { others: [expect.objectContaining({ manager: 'kubectl', time: undefined })] },
  },
  Unmanaged: {
    reason: 'accepts a child without managedFields',
    given: websiteService({ metadata: { managedFields: undefined } }),
    want: { ours: undefined, others: [], legacy: false },
  },
};

describe('observeChild', () => {
  it.each(casesOf(children))('%s', (_, { given, want }) => {
    expect(observeChild(given)).toMatchObject(want);
  });

  it('keeps the labels by which children are listed, and no others', () => {
    expect(Object.keys(observeChild(websiteService()).labelled)).toHaveLength(3);
  });

  it('keeps the fields of each writer, and can read them again', () => {
    const live = edited(websiteService(), { by: 'kubectl-patch' }, ({ spec }) => {
      spec.ports[0].nodePort = 31999;
    });
    const { ours, others }: ObservedChild = observeChild(live);
    expect(others.map((entry) => openEntry(entry))).toEqual([
      {
        value: { spec: { ports: [{ port: 80, protocol: 'TCP', nodePort: 31999 }] } },
        listKeys: { 'spec.ports': ['port', 'protocol'] },
        leafMaps: [],
      },
    ]);
    expect(ours && openEntry(ours)).toEqual({
      value: {
        metadata: {
          labels: live.metadata.labels,
          ownerReferences: live.metadata.ownerReferences,
        },
        spec: {
          type: 'NodePort',
          selector: { type: 'Website', website: 'website-sample' },
          ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
        },
      },
      listKeys: {
        'metadata.ownerReferences': ['uid'],
        'spec.ports': ['port', 'protocol'],
      },
      leafMaps: [`metadata.ownerReferences[uid="${websiteUid}"]`, 'spec.selector'],
    });
  });

  it('drops the status of the object', () => {
    expect(JSON.stringify(observeChild(websiteDeployment()))).not.toContain('Progressing');
  });
});
