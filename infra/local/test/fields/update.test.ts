import { describe, expect, it } from 'vitest';
import { trackUpdate } from '../../api-server/fields/update.ts';
import builtIn from '../../api-server/generated/schemas.json' with { type: 'json' };
import type { Definitions } from '../../api-server/schema/schema.ts';
import { entriesOf, ownersOf, play, type Step, statusReset } from './history.ts';

const update = (by: string, spec: object, rest: object = {}): Step => ({
  verb: 'update',
  by,
  spec,
  ...rest,
});
const apply = (by: string, spec: object, rest: object = {}): Step => ({
  verb: 'apply',
  by,
  spec,
  ...rest,
});

interface Case {
  readonly reason: string;
  readonly given: readonly Step[];
  readonly want: Record<string, string[]>;
}

const cases: Record<string, Case> = {
  CreatorOwnsAll: {
    reason: 'the creator of an object owns all of it, structures included',
    given: [update('a', { size: 1, labels: { x: '1' } }, { metadata: { labels: { l: '1' } } })],
    want: {
      'a Update': [
        '.spec',
        '.metadata.labels',
        '.metadata.labels.l',
        '.spec.labels',
        '.spec.size',
        '.spec.labels.x',
      ],
    },
  },
  ChangesAreTheWriters: {
    reason: 'added or changed fields belong to the writer alone',
    given: [update('a', { size: 1, image: 'x' }), update('b', { size: 2, image: 'x', labels: {} })],
    want: { 'a Update': ['.spec', '.spec.image'], 'b Update': ['.spec.labels', '.spec.size'] },
  },
  RemovedIsNobodys: {
    reason: 'removed fields leave every entry',
    given: [apply('a', { size: 1, image: 'x' }), update('b', { image: 'x' })],
    want: { 'a Apply': ['.spec.image'] },
  },
  UnchangedStays: {
    reason: 'writing equal values changes no owner',
    given: [update('a', { size: 1 }), update('b', { size: 1 })],
    want: { 'a Update': ['.spec', '.spec.size'] },
  },
  SameNameIsAnotherManager: {
    reason: 'updates and applies of one name are two managers',
    given: [apply('a', { size: 1 }), update('a', { size: 2 })],
    want: { 'a Update': ['.spec.size'] },
  },
  SubresourceIsAnotherManager: {
    reason: 'writes to status have a separate entry',
    given: [
      update('a', { size: 1 }, { resetFields: statusReset }),
      update('a', { size: 1 }, { subresource: 'status', status: { phase: 'on' } }),
    ],
    want: { 'a Update': ['.spec', '.spec.size'], 'a Update status': ['.status', '.status.phase'] },
  },
  ResetFieldsAreNobodys: {
    reason: 'a write does not own what it cannot change',
    given: [update('a', { size: 1 }, { status: { phase: 'on' }, resetFields: statusReset })],
    want: { 'a Update': ['.spec', '.spec.size'] },
  },
  ResetManagers: {
    reason: 'one empty entry stops the tracking',
    given: [
      update('a', { size: 1 }),
      update('b', { size: 2 }, { metadata: { managedFields: [{}] } }),
    ],
    want: {},
  },
  EmptyListOfACustomResource: {
    reason: 'an empty list does not: it is lost where a custom resource is decoded',
    given: [
      update('a', { size: 1 }),
      update('b', { size: 2 }, { metadata: { managedFields: [] } }),
    ],
    want: { 'a Update': ['.spec'], 'b Update': ['.spec.size'] },
  },
  UntrackedStays: {
    reason: 'an untracked object stays so until it is applied',
    given: [
      update('a', { size: 1 }),
      update('b', { size: 2 }, { metadata: { managedFields: [{}] } }),
      update('c', { size: 3 }),
    ],
    want: {},
  },
  RequestMayBringManagers: {
    reason: 'readable managed fields in the request replace the stored ones',
    given: [
      update('a', { size: 1 }),
      update(
        'b',
        { size: 1 },
        {
          metadata: {
            managedFields: [
              {
                manager: 'z',
                operation: 'Apply',
                apiVersion: 'example.com/v1',
                fieldsType: 'FieldsV1',
                fieldsV1: { 'f:spec': { 'f:size': {} } },
              },
            ],
          },
        },
      ),
    ],
    want: { 'z Apply': ['.spec.size'] },
  },
  UnreadableManagersAreIgnored: {
    reason: 'unreadable ones do not',
    given: [
      update('a', { size: 1 }),
      update('b', { size: 1 }, { metadata: { managedFields: [{ manager: 'z' }] } }),
    ],
    want: { 'a Update': ['.spec', '.spec.size'] },
  },
};

describe.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
  it(reason, () => {
    expect(ownersOf(play(given).object)).toEqual(want);
  });
});

describe('many writers', () => {
  const writers = Array.from({ length: 13 }, (_, index) => `w${String(index).padStart(2, '0')}`);
  const labels = (count: number): Record<string, string> =>
    Object.fromEntries(writers.slice(0, count).map((name) => [name, '1']));

  it('keep ten entries, the oldest merged into one', () => {
    const steps = writers.map((name, index) => update(name, { labels: labels(index + 1) }));
    const managers = entriesOf(play(steps).object).map(({ manager }) => manager);
    expect(managers).toEqual(['ancient-changes', ...writers.slice(4)]);
  });
});

describe('a built-in kind', () => {
  const definitions = builtIn.definitions as unknown as Definitions;
  const owners = (kind: string, updated: object): Record<string, string[]> => {
    const root = definitions[`io.k8s.api.${kind}`];
    if (root === undefined) throw new Error(`no definition of ${kind}`);
    const source = { root, definitions };
    const now = '2024-01-01T00:00:00Z';
    return ownersOf(trackUpdate({ source, updated, manager: 'a', apiVersion: 'v1', now }));
  };

  it('has structures that are always present and have no owner', () => {
    const found = owners('apps.v1.Deployment', {
      metadata: { name: 'web' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'web' } },
        strategy: { type: 'Recreate' },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'c', image: 'i', resources: {} }], securityContext: {} },
        },
      },
    });
    expect(found).toEqual({
      'a Update': [
        '.spec.replicas',
        '.spec.selector',
        '.spec.strategy.type',
        '.spec.template.metadata.labels',
        '.spec.template.metadata.labels.app',
        '.spec.template.spec.securityContext',
        '.spec.template.spec.containers[name="c"]',
        '.spec.template.spec.containers[name="c"].image',
        '.spec.template.spec.containers[name="c"].name',
        '.spec.template.spec.containers[name="c"].resources',
      ],
    });
  });

  it('lets a creator own an optional map and its entries', () => {
    const found = owners('core.v1.ConfigMap', { metadata: { name: 'c' }, data: { a: '1' } });
    expect(found).toEqual({ 'a Update': ['.data', '.data.a'] });
  });
});
