import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import type { Difference } from '../../shared/plan/drift/drift.ts';
import { immutableChange } from '../../shared/plan/drift/immutable.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';
import { databaseStatefulSet } from '../support/children-of-database.ts';
import { observeChild } from '../support/observe.ts';

const live = databaseStatefulSet();
const { selector, serviceName, volumeClaimTemplates } = live.spec as JsonObject;

interface Case {
  readonly reason: string;
  /** Lists the paths that differ. */
  readonly paths: readonly string[];
  readonly spec: JsonObject;
  readonly want: string | undefined;
}

const cases: Record<string, Case> = {
  Other: {
    reason: 'other fields may change',
    paths: ['spec.replicas'],
    spec: { replicas: 2, serviceName: 'other' },
    want: undefined,
  },
  Changed: {
    reason: 'another value than the live one is refused',
    paths: ['spec.replicas', 'spec.serviceName'],
    spec: { replicas: 2, serviceName: 'other' },
    want: 'spec.serviceName',
  },
  OwnershipOnly: {
    reason: 'an equal value may be applied, whichever manager holds it',
    paths: ['spec.serviceName', 'spec.selector', 'spec.volumeClaimTemplates'],
    spec: { serviceName, selector, volumeClaimTemplates } as JsonObject,
    want: undefined,
  },
  Below: {
    reason: 'a field below it is named',
    paths: ['spec.selector.matchLabels.app'],
    spec: { selector: { matchLabels: { app: 'other' } } },
    want: 'spec.selector.matchLabels.app',
  },
  InItem: {
    reason: 'a field in an item of it is named',
    paths: ['spec.volumeClaimTemplates[name="x"].spec'],
    spec: { volumeClaimTemplates: [{ metadata: { name: 'x' } }] },
    want: 'spec.volumeClaimTemplates[name="x"].spec',
  },
  Above: {
    reason: 'the field itself is named if a field above it differs',
    paths: ['spec'],
    spec: { serviceName: 'other' },
    want: 'spec.serviceName',
  },
  AboveAndSame: {
    reason: 'a field that we do not set is not changed',
    paths: ['spec'],
    spec: { serviceName: serviceName as Json },
    want: undefined,
  },
  SamePrefix: {
    reason: 'a field whose name only begins alike is another one',
    paths: ['spec.selectorX', 'spec.serviceNames'],
    spec: { selector: { matchLabels: {} }, serviceName: 'other' },
    want: undefined,
  },
  Dropped: {
    reason: 'to drop the field would be to remove it',
    paths: ['spec.serviceName'],
    spec: {},
    want: 'spec.serviceName',
  },
  FirstOfSeveral: {
    reason: 'an equal value does not hide the next difference',
    paths: ['spec.selector', 'spec.serviceName'],
    spec: { selector: selector as Json, serviceName: 'other' },
    want: 'spec.serviceName',
  },
};

const differences = (paths: readonly string[]): readonly Difference[] =>
  paths.map((path) => ({ path, from: undefined, to: undefined, writer: undefined }));

describe('an immutable field', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, paths, spec, want }) => {
    expect(immutableChange(differences(paths), { spec }, observeChild(live)), reason).toBe(want);
  });

  it('may be set to zero if the object does not have it', () => {
    const { podManagementPolicy: _, ...rest } = live.spec as JsonObject;
    const observed = observeChild({ ...live, spec: rest } as never);
    const change = (podManagementPolicy: Json) =>
      immutableChange(
        differences(['spec.podManagementPolicy']),
        { spec: { podManagementPolicy } },
        observed,
      );
    expect(change('')).toBeUndefined();
    expect(change('Parallel')).toBe('spec.podManagementPolicy');
  });

  it('is compared as a quantity if it is one', () => {
    const claims = (storage: string) => [
      { metadata: { name: 'data' }, spec: { resources: { requests: { storage } } } },
    ];
    const observed = observeChild({
      ...live,
      spec: { ...(live.spec as JsonObject), volumeClaimTemplates: claims('1Gi') },
    } as never);
    const change = (storage: string) =>
      immutableChange(
        differences(['spec.volumeClaimTemplates']),
        { spec: { volumeClaimTemplates: claims(storage) } },
        observed,
      );
    expect(change('1024Mi')).toBeUndefined();
    expect(change('2Gi')).toBe('spec.volumeClaimTemplates');
  });

  it('depends on the type of the child', () => {
    const selected = { spec: { selector: { matchLabels: { a: 'b' } } } };
    const changed = differences(['spec.selector']);
    const change = (child: typeof live) => immutableChange(changed, selected, observeChild(child));
    expect(change(websiteDeployment() as never)).toBe('spec.selector');
    expect(change(websiteService() as never)).toBeUndefined();
  });
});
