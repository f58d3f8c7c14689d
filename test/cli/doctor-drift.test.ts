import { describe, expect, it } from 'vitest';
import {
  type DefinitionSpec,
  describeDrift,
  driftOf,
} from '../../infra/cli/doctor/schema-drift.ts';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { kinds } from '../support/config.ts';

const version = {
  name: 'v1',
  served: true,
  subresources: { status: {} },
  schema: {
    type: 'object',
    properties: { size: { type: 'integer', maximum: 5 } },
    required: ['size', 'name'],
  },
  additionalPrinterColumns: [{ name: 'Age', type: 'date' }],
};
const wanted = { scope: 'Namespaced', names: { kind: 'Toy' }, versions: [version] };
const withVersion = (over: object): DefinitionSpec => ({
  ...wanted,
  versions: [{ ...version, ...over }],
});

interface Case {
  readonly reason: string;
  readonly given: DefinitionSpec;
  readonly want: { readonly text: string; readonly isEssential: boolean } | undefined;
}

const cases: Record<string, Case> = {
  Equal: { reason: 'as generated', given: structuredClone(wanted), want: undefined },
  Order: {
    reason: 'a server keeps fields in an order of its own',
    given: withVersion({
      schema: {
        required: ['size', 'name'],
        properties: { size: { maximum: 5, type: 'integer' } },
        type: 'object',
      },
    }),
    want: undefined,
  },
  Defaulted: {
    reason: 'what the server adds beside the parts compared is no difference',
    given: {
      ...wanted,
      names: { ...wanted.names, singular: 'toy' },
      conversion: { strategy: 'None' },
    } as DefinitionSpec,
    want: undefined,
  },
  OlderVersionKept: {
    reason: 'a version that only the cluster has is ignored',
    given: { ...wanted, versions: [{ name: 'v0', served: true }, version] },
    want: undefined,
  },
  NoVersion: {
    reason: 'what is not served cannot be listed',
    given: { ...wanted, versions: [{ ...version, name: 'v0' }] },
    want: { text: 'versions[v1] is missing', isEssential: true },
  },
  NotServed: {
    reason: 'a version that is not served cannot be listed either',
    given: withVersion({ served: false }),
    want: { text: 'versions[v1].served is false, and should be true', isEssential: true },
  },
  ClusterScoped: {
    reason: 'a cluster-scoped resource cannot own children in a namespace',
    given: { ...wanted, scope: 'Cluster' },
    want: { text: 'scope is "Cluster", and should be "Namespaced"', isEssential: true },
  },
  Bound: {
    reason: 'another bound accepts what we refuse, or the other way round',
    given: withVersion({
      schema: { ...version.schema, properties: { size: { type: 'integer', maximum: 9 } } },
    }),
    want: {
      text: 'versions[v1].schema.properties.size.maximum is 9, and should be 5',
      isEssential: true,
    },
  },
  Extra: {
    reason: 'an extra field',
    given: withVersion({
      schema: { ...version.schema, properties: { ...version.schema.properties, x: {} } },
    }),
    want: {
      text: 'versions[v1].schema.properties.x is {}, and should be absent',
      isEssential: true,
    },
  },
  ListItem: {
    reason: 'an item of a list by its index',
    given: withVersion({ schema: { ...version.schema, required: ['size'] } }),
    want: { text: 'versions[v1].schema.required[1] is missing', isEssential: true },
  },
  Columns: {
    reason: 'a column only changes what is shown',
    given: withVersion({ additionalPrinterColumns: [] }),
    want: { text: 'versions[v1].additionalPrinterColumns[0] is missing', isEssential: false },
  },
  Deprecated: {
    reason: 'a warning changes nothing that is stored',
    given: withVersion({ deprecated: true }),
    want: { text: 'versions[v1].deprecated is true, and should be absent', isEssential: false },
  },
  Categories: {
    reason: 'a category only changes what is listed together',
    given: { ...wanted, names: { ...wanted.names, categories: ['all'] } },
    want: { text: 'names.categories is ["all"], and should be absent', isEssential: false },
  },
  EssentialFirst: {
    reason: 'the more important difference is named, wherever it is',
    given: withVersion({ additionalPrinterColumns: [], subresources: undefined }),
    want: { text: 'versions[v1].subresources is missing', isEssential: true },
  },
};

describe('driftOf', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    const drift = driftOf(given, wanted);
    const found = drift && { text: describeDrift(drift), isEssential: drift.isEssential };
    expect(found, reason).toEqual(want);
  });

  it('finds no difference in a kind’s own definition', () => {
    for (const kind of kinds) {
      const { spec } = customResourceDefinition(kind) as { readonly spec: DefinitionSpec };
      expect(driftOf(structuredClone(spec), spec)).toBeUndefined();
    }
  });
});
