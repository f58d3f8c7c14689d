import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { type Difference, drift, isOwnershipOnly } from '../../shared/plan/drift/drift.ts';
import { databaseStatefulSet, statefulSetWants } from '../support/children-of-database.ts';
import { type Draft, edited } from '../support/edits.ts';
import { merge } from '../support/merge.ts';
import { observeChild } from '../support/observe.ts';

const at = '2026-11-21T11:00:00Z';
const writer = { manager: 'kubectl', time: at };
const change = (edit: (draft: Draft) => void, live: KubeObject = databaseStatefulSet()) =>
  edited(live, { by: 'kubectl', at }, edit);
const wanting = (over: object): JsonObject => merge<JsonObject>(statefulSetWants, over);
const claim = statefulSetWants.spec.volumeClaimTemplates[0]!;
const claiming = (storage: string): JsonObject =>
  wanting({
    spec: {
      volumeClaimTemplates: [
        { ...claim, spec: { ...claim.spec, resources: { requests: { storage } } } },
      ],
    },
  });
const requests = 'spec.template.spec.containers[name="postgres"].resources.requests';
const digest = 'spec.template.metadata.annotations.serverless-reconciler/secret-digest';
const liveClaims = databaseStatefulSet().spec.volumeClaimTemplates;

/** The object after its managedFields were cleared and another manager, which now owns all of it, applied it. */
function applied(): KubeObject {
  const live = databaseStatefulSet();
  const entries = live.metadata.managedFields!.map((entry) => ({
    ...entry,
    ...writer,
    operation: 'Update' as const,
  }));
  return { ...live, metadata: { ...live.metadata, managedFields: entries } };
}

interface Case {
  readonly reason: string;
  readonly live?: KubeObject;
  readonly wanted?: JsonObject;
  readonly want: readonly Difference[];
}

const cases: Record<string, Case> = {
  'D-1 Untouched': { reason: 'the server writes quantities in its own notation', want: [] },
  'D-2 Defaults': {
    reason: 'defaults in the atomic list of claims are no change',
    wanted: claiming('10Gi'),
    want: [],
  },
  'D-2 AmountChanged': {
    reason: 'another quantity is a change',
    live: change(({ spec }) => {
      spec.template.spec.containers[0].resources.requests.memory = '2Gi';
    }),
    want: [{ path: `${requests}.memory`, from: '2Gi', to: '1024Mi', writer }],
  },
  'D-2 AmountsWanted': {
    reason: 'our entry holds what was wanted before',
    wanted: wanting({
      spec: {
        template: {
          spec: {
            containers: [
              {
                ...statefulSetWants.spec.template.spec.containers[0],
                resources: {
                  requests: { cpu: '501m', memory: '1Gi' },
                  limits: { cpu: 2, memory: '2Gi' },
                },
              },
            ],
          },
        },
      },
    }),
    want: [{ path: `${requests}.cpu`, from: '500m', to: '501m', writer: undefined }],
  },
  'C-3 AmountTakenOver': {
    reason: 'changed and changed back, in the server’s notation: only the owner differs',
    live: change(
      ({ spec }) => {
        spec.template.spec.containers[0].resources.requests.memory = '1Gi';
      },
      change(({ spec }) => {
        spec.template.spec.containers[0].resources.requests.memory = '2Gi';
      }),
    ),
    want: [{ path: `${requests}.memory`, from: '1024Mi', to: '1024Mi', writer }],
  },
  'D-6 Storage': {
    reason: 'another quantity in an atomic list is a change',
    wanted: claiming('20Gi'),
    want: [
      {
        path: 'spec.volumeClaimTemplates',
        from: liveClaims as unknown as JsonObject[],
        to: claiming('20Gi').spec!['volumeClaimTemplates' as never],
        writer: undefined,
      },
    ],
  },
  'C-3 LabelLikeAmount': {
    reason: 'values are compared as quantities only in fields that the API defines as such',
    live: change(({ metadata }) => {
      metadata.labels.app = '1Gi';
    }),
    wanted: wanting({ metadata: { labels: { app: '1024Mi' } } }),
    want: [{ path: 'metadata.labels.app', from: '1Gi', to: '1024Mi', writer }],
  },
  'A-5 Digest': {
    reason: 'a digest of a Secret is reported without its value',
    wanted: wanting({
      spec: {
        template: { metadata: { annotations: { 'serverless-reconciler/secret-digest': 'new' } } },
      },
    }),
    want: [{ path: digest, from: '(secret)', to: '(secret changed)', writer: undefined }],
  },
  'A-5 DigestRemoved': {
    reason: 'a missing digest is shown as missing',
    live: change(({ spec }) => {
      delete spec.template.metadata.annotations;
    }),
    want: [
      {
        path: 'spec.template.metadata.annotations',
        from: undefined,
        to: { 'serverless-reconciler/secret-digest': '(secret changed)' },
        writer: undefined,
      },
    ],
  },
};

describe('drift of a StatefulSet', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, live, wanted, want }) => {
    const child = observeChild(live ?? databaseStatefulSet());
    expect(drift(wanted ?? statefulSetWants, child), reason).toEqual(want);
  });

  it('D-6 an immutable field that another manager only took over does not differ', () => {
    const differences = drift(statefulSetWants, observeChild(applied()));
    expect(differences.map(({ path }) => path)).toContain('spec.volumeClaimTemplates');
    expect(differences.filter((one) => !isOwnershipOnly(one))).toEqual([]);
  });
});
