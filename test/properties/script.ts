import fc from 'fast-check';
import type { JsonObject } from '../../shared/kubernetes.ts';
import type { Disturbance } from './disturb.ts';
import { touches } from './disturb-resources.ts';
import { disturbances } from './disturb-services.ts';
import type { ForeignOwner } from './foreign-owner.ts';

/** A step in a namespace; indexes of resources and children wrap around. */
export type Step =
  | { readonly do: 'resync' | 'hasty resync' | 'settle' }
  | { readonly do: 'website'; readonly name: string; readonly imageTag: string }
  | { readonly do: 'foo'; readonly name: string; readonly spec: FooSpec }
  | { readonly do: 'edit foo'; readonly name: string; readonly spec: FooSpec }
  | { readonly do: 'edit website'; readonly name: string; readonly edit: WebsiteEdit }
  | { readonly do: 'annotate'; readonly at: number; readonly suspend: boolean }
  | { readonly do: 'remove' | 'create anew'; readonly at: number }
  | { readonly do: 'touch'; readonly at: number; readonly by: string }
  | {
      readonly do: 'disturb';
      /** Counts within the children of `kind`. */
      readonly at: number;
      readonly kind: string;
      readonly by: string;
    }
  | { readonly do: 'foreign object'; readonly name: string; readonly as: ForeignOwner }
  | {
      readonly do: 'create' | 'edit';
      readonly kind: string;
      readonly name: string;
      readonly spec: JsonObject;
    }
  | { readonly do: 'remove foreign objects' | 'restore passwords' };

interface FooSpec {
  readonly deploymentName: string;
  readonly replicas?: number;
}

type WebsiteEdit = { readonly imageTag: string } | { readonly nodePort: 'another' };

const websites = ['w', 'w.0', '0w', `long-${'w'.repeat(80)}`];
const foos = ['f', 'g', `long-${'f'.repeat(80)}`];
const deploymentNames = ['a', 'b', 'c', 'w'];
const tags = ['latest', 'v1', 'v2'];

const fooSpec: fc.Arbitrary<FooSpec> = fc.record(
  {
    deploymentName: fc.constantFrom(...deploymentNames),
    replicas: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ['deploymentName'] },
);

const index = fc.nat({ max: 11 });

const birth: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('website' as const),
    name: fc.constantFrom(...websites),
    imageTag: fc.constantFrom(...tags),
  }),
  fc.record({ do: fc.constant('foo' as const), name: fc.constantFrom(...foos), spec: fooSpec }),
);

const edit: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('edit foo' as const),
    name: fc.constantFrom(...foos),
    spec: fc.oneof({ weight: 6, arbitrary: fooSpec }, fc.constant({ deploymentName: '' })),
  }),
  fc.record({
    do: fc.constant('edit website' as const),
    name: fc.constantFrom(...websites),
    edit: fc.oneof(
      fc.record({ imageTag: fc.constantFrom(...tags) }),
      fc.constant({ nodePort: 'another' as const }),
    ),
  }),
);

/** Chooses among all changes of children alike, whatever their kind. */
export const disturbanceIn = (
  tables: Readonly<Record<string, Readonly<Record<string, Disturbance>>>>,
): fc.Arbitrary<Step> =>
  fc.oneof(
    ...Object.entries(tables).map(([kind, table]) => ({
      weight: Object.keys(table).length,
      arbitrary: fc.record({
        do: fc.constant('disturb' as const),
        kind: fc.constant(kind),
        at: fc.nat({ max: 3 }),
        by: fc.constantFrom(...Object.keys(table)),
      }),
    })),
  );

const foreignObject: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('foreign object' as const),
  name: fc.constantFrom(...deploymentNames),
  as: fc.constantFrom<ForeignOwner>(
    'nobody',
    'another controller',
    'another Foo',
    'a Foo of another group',
  ),
});

/** Makes steps after the first creations, for any kinds. */
export const happeningsOf = (parts: Parts): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step>({ do: 'resync' }) },
    { weight: 2, arbitrary: fc.constant<Step>({ do: 'hasty resync' }) },
    { weight: 2, arbitrary: fc.constant<Step>({ do: 'settle' }) },
    { weight: 3, arbitrary: parts.birth },
    { weight: 5, arbitrary: parts.edit },
    { weight: 10, arbitrary: parts.disturbance },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('annotate' as const),
        at: index,
        suspend: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constantFrom('remove' as const, 'create anew' as const),
        at: index,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('touch' as const),
        at: index,
        by: fc.constantFrom(...Object.keys(touches)),
      }),
    },
    { weight: 2, arbitrary: parts.rare },
  );

interface Parts {
  readonly birth: fc.Arbitrary<Step>;
  readonly edit: fc.Arbitrary<Step>;
  readonly disturbance: fc.Arbitrary<Step>;
  readonly rare: fc.Arbitrary<Step>;
}

const happening = happeningsOf({
  birth,
  edit,
  disturbance: disturbanceIn(disturbances),
  rare: foreignObject,
});

/** Creates some resources, mostly reconciles them once, then does something else. */
export const scriptsOf = (
  births: fc.Arbitrary<Step>,
  happenings: fc.Arbitrary<Step>,
): fc.Arbitrary<readonly Step[]> =>
  fc
    .tuple(
      fc.array(births, { minLength: 1, maxLength: 4 }),
      fc.constantFrom<readonly Step[]>([{ do: 'resync' }], [{ do: 'resync' }], []),
      fc.array(happenings, { minLength: 1, maxLength: 12 }),
    )
    .map((parts) => parts.flat())
    .filter(isTraceable);

/** A run finds an unwanted child by its labels or by the status of its resource, so scripts do not remove both. */
const isTraceable = (steps: readonly Step[]): boolean => {
  const does = new Set(steps.map((step) => ('by' in step ? step.by : '')));
  return does.isDisjointFrom(labelsLost) || does.isDisjointFrom(childrenLost);
};

const labelsLost = new Set(['labels stripped', 'managed-by changed', 'replaced without labels']);
const childrenLost = new Set(['status removed', 'children in the status removed']);

/** Creates some resources, then changes them and their children. */
export const scripts: fc.Arbitrary<readonly Step[]> = scriptsOf(birth, happening);

/** Creates resources, and edits only their specs. */
export const edits: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.array(birth, { minLength: 1, maxLength: 4 }),
    fc.array(
      fc.oneof(
        edit,
        birth,
        fc.constant<Step>({ do: 'resync' }),
        fc.constant<Step>({ do: 'settle' }),
      ),
      { maxLength: 6 },
    ),
  )
  .map(([births, happenings]) => [...births, ...happenings]);
