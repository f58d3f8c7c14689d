import { describe, expect, it } from 'vitest';
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from '../../shared/kubernetes.ts';
import * as engine from '../../shared/plan/observed/legacy.ts';
import { casesOf } from '../support/cases.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';
import { applied, edited } from '../support/edits.ts';
import { identity } from '../support/observe.ts';
import { website } from '../support/resources.ts';
import { applyBody, fieldsOfChild } from '../support/worlds.ts';

const consolidated = (live: KubeObject) => engine.consolidated(live, identity);
const overlapsLegacy = (live: KubeObject) => engine.needsConsolidation(live, identity);

const entry = (
  manager: string,
  fieldsV1: FieldsV1,
  over: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-11-21T11:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...over,
});

const ours = entry(
  'serverless-reconciler',
  {
    'f:metadata': { 'f:labels': { 'f:a': {} } },
    'f:spec': {
      'f:selector': {},
      'f:ports': { 'k:{"port":80}': { '.': {}, 'f:port': {}, 'f:nodePort': {} } },
    },
  },
  { operation: 'Apply' },
);

const manyFields = Object.fromEntries(
  Array.from({ length: 100 }, (_, at) => [`f:${at}`, { 'f:a': {} }]),
);

interface Case {
  readonly reason: string;
  readonly given: readonly ManagedFieldsEntry[];
  readonly want: readonly ManagedFieldsEntry[];
}

const cases: Record<string, Case> = {
  NothingOld: {
    reason: 'other managers keep the fields that they share with us',
    given: [ours, entry('kubectl', { 'f:metadata': { 'f:labels': { 'f:a': {} } } })],
    want: [ours, entry('kubectl', { 'f:metadata': { 'f:labels': { 'f:a': {} } } })],
  },
  BeforeFirstApply: {
    reason: 'fields in our Apply entry are removed from the old entry, and its other fields stay',
    given: [
      ours,
      entry('before-first-apply', {
        'f:metadata': { 'f:labels': { '.': {}, 'f:a': {}, 'f:b': {} } },
        'f:spec': { 'f:type': {} },
      }),
    ],
    want: [
      ours,
      entry('before-first-apply', {
        'f:metadata': { 'f:labels': { '.': {}, 'f:b': {} } },
        'f:spec': { 'f:type': {} },
      }),
    ],
  },
  OwnUpdate: {
    reason: 'an Update entry that a patch of ours left is removed once it is empty',
    given: [
      ours,
      entry('serverless-reconciler', {
        'f:spec': {
          'f:ports': { '.': {}, 'k:{"port":80}': { '.': {}, 'f:port': {}, 'f:nodePort': {} } },
        },
      }),
    ],
    want: [ours],
  },
  PartOfItem: {
    reason: 'another field of our item stays with its owner',
    given: [
      ours,
      entry('before-first-apply', {
        'f:spec': { 'f:ports': { 'k:{"port":80}': { '.': {}, 'f:port': {}, 'f:targetPort': {} } } },
      }),
    ],
    want: [
      ours,
      entry('before-first-apply', {
        'f:spec': { 'f:ports': { 'k:{"port":80}': { 'f:targetPort': {} } } },
      }),
    ],
  },
  WholeMap: {
    reason: 'a map that our entry names as a whole includes its keys',
    given: [ours, entry('before-first-apply', { 'f:spec': { 'f:selector': { 'f:a': {} } } })],
    want: [ours],
  },
  OwnUpdateFirst: {
    reason: 'our Update entry keeps the fields that our Apply entry does not name',
    given: [entry('serverless-reconciler', { 'f:spec': { 'f:selector': {}, 'f:type': {} } }), ours],
    want: [entry('serverless-reconciler', { 'f:spec': { 'f:type': {} } }), ours],
  },
  OurScale: {
    reason: 'an apply to a subresource does not count as our Apply entry',
    given: [
      { ...ours, subresource: 'scale' },
      entry('before-first-apply', { 'f:spec': { 'f:selector': {} } }),
    ],
    want: [
      { ...ours, subresource: 'scale' },
      entry('before-first-apply', { 'f:spec': { 'f:selector': {} } }),
    ],
  },
  WholeField: {
    reason: 'our entry names parts of a field that the old entry names as a whole',
    given: [ours, entry('before-first-apply', { 'f:spec': { 'f:ports': {}, 'f:type': {} } })],
    want: [ours, entry('before-first-apply', { 'f:spec': { 'f:type': {} } })],
  },
  ManyFields: {
    reason: 'many fields side by side are not deep',
    given: [{ ...ours, fieldsV1: manyFields }, entry('before-first-apply', manyFields)],
    want: [{ ...ours, fieldsV1: manyFields }],
  },
  Status: {
    reason: 'entries of controllers for the status are kept',
    given: [
      ours,
      entry(
        'before-first-apply',
        { 'f:metadata': { 'f:labels': { 'f:a': {} } } },
        { subresource: 'status' },
      ),
    ],
    want: [
      ours,
      entry(
        'before-first-apply',
        { 'f:metadata': { 'f:labels': { 'f:a': {} } } },
        { subresource: 'status' },
      ),
    ],
  },
  NeverApplied: {
    reason: 'without an entry of ours the fields cannot be moved',
    given: [entry('before-first-apply', { 'f:spec': { 'f:selector': {} } })],
    want: [entry('before-first-apply', { 'f:spec': { 'f:selector': {} } })],
  },
};

const withEntries = (managedFields: readonly ManagedFieldsEntry[]): KubeObject =>
  websiteService({ metadata: { managedFields } });

describe('consolidated', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(consolidated(withEntries(given))).toEqual(want);
  });

  it.each(casesOf(cases))('shows in the plan: %s', (_, { given, want }) => {
    expect(overlapsLegacy(withEntries(given))).toBe(
      given.length !== want.length || JSON.stringify(given) !== JSON.stringify(want),
    );
  });

  it('leaves an object without managedFields as it is', () => {
    const { managedFields: _, ...metadata } = websiteService().metadata;
    const live = { ...websiteService(), metadata };
    expect(consolidated(live)).toEqual([]);
    expect(overlapsLegacy(live)).toBe(false);
  });

  it('happens once after managedFields were cleared, and not again', () => {
    const cleared = edited(websiteDeployment(), { by: 'kubectl' }, ({ metadata }) => {
      metadata.managedFields = [{}];
    });
    const live = applied(
      cleared,
      { by: 'serverless-reconciler' },
      applyBody(cleared, fieldsOfChild(website(), 'Deployment')),
    );
    expect(overlapsLegacy(live)).toBe(true);
    const managedFields = consolidated(live);
    const tidied = { ...live, metadata: { ...live.metadata, managedFields } };
    expect(overlapsLegacy(tidied)).toBe(false);
    expect(managedFields.find(({ operation }) => operation === 'Apply')).toEqual(
      live.metadata.managedFields?.find(({ operation }) => operation === 'Apply'),
    );
  });
});
