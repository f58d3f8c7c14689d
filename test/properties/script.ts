import fc from 'fast-check';
import { deployment } from '../../shared/kinds/child-types.ts';
import { foo } from '../../shared/kinds/foo.ts';
import { website } from '../../shared/kinds/website.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { look } from '../reconcile/desired.ts';
import type { Engine, Place } from '../reconcile/engine.ts';
import { disturb, disturbances, permitted } from './disturb.ts';
import { type Stranger, strangerOf } from './stranger.ts';

/** What happens in a namespace, one after the other; resources and children are counted round. */
export type Step =
  | { readonly do: 'tick' | 'hasty tick' | 'settle' }
  | { readonly do: 'website'; readonly name: string; readonly imageTag: string }
  | { readonly do: 'foo'; readonly name: string; readonly spec: FooSpec }
  | { readonly do: 'edit foo'; readonly name: string; readonly spec: FooSpec }
  | { readonly do: 'edit website'; readonly name: string; readonly edit: WebsiteEdit }
  | { readonly do: 'annotate'; readonly at: number; readonly suspend: boolean }
  | { readonly do: 'remove' | 'create anew'; readonly at: number }
  | { readonly do: 'disturb'; readonly at: number; readonly by: string }
  | { readonly do: 'stranger'; readonly name: string; readonly as: Stranger };

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

const disturbance: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('disturb' as const),
  at: index,
  by: fc.constantFrom(
    ...new Set([...Object.keys(disturbances.Deployment), ...Object.keys(disturbances.Service)]),
  ),
});

const happening: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>({ do: 'tick' }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'hasty tick' }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'settle' }) },
  { weight: 3, arbitrary: birth },
  { weight: 5, arbitrary: edit },
  { weight: 10, arbitrary: disturbance },
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
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('stranger' as const),
      name: fc.constantFrom(...deploymentNames),
      as: fc.constantFrom<Stranger>(
        'nobody',
        'another controller',
        'another Foo',
        'a Foo of another group',
      ),
    }),
  },
);

/** Some resources, mostly reconciled once, and what then happens to them and to their children. */
export const scripts: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.array(birth, { minLength: 1, maxLength: 4 }),
    fc.array(happening, { minLength: 1, maxLength: 12 }),
  )
  .map(([births, happenings]) => [...births, ...happenings]);

/** Resources only, and edits of their specifications: nobody touches a child. */
export const edits: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.array(birth, { minLength: 1, maxLength: 4 }),
    fc.array(
      fc.oneof(edit, birth, fc.constant<Step>({ do: 'tick' }), fc.constant<Step>({ do: 'settle' })),
      { maxLength: 6 },
    ),
  )
  .map(([births, happenings]) => [...births, ...happenings]);

/** Does a step, if the server lets it; a tick is the caller's. */
export async function play(engine: Engine, place: Place, step: Step): Promise<void> {
  const { api } = place;
  switch (step.do) {
    case 'tick':
      throw new Error('a tick is played by the caller');
    case 'hasty tick':
      return void (await place.tick());
    case 'settle':
      return engine.cluster.controllers.settled();
    case 'website': {
      const { name, imageTag } = step;
      return permitted(
        api.create(website, name, { spec: { imageTag, nodePort: place.nodePort() } }),
      );
    }
    case 'foo':
      return permitted(api.create(foo, step.name, { spec: { ...step.spec } }));
    case 'edit foo': {
      const { deploymentName, replicas = null } = step.spec;
      return permitted(api.patch(foo, step.name, { spec: { deploymentName, replicas } }));
    }
    case 'edit website': {
      const change = 'nodePort' in step.edit ? { nodePort: place.nodePort() } : step.edit;
      return permitted(api.patch(website, step.name, { spec: change }));
    }
    case 'annotate':
    case 'remove':
    case 'create anew':
      return playOnResource(place, step);
    case 'disturb': {
      const { children } = await look(api);
      const child = children[step.at % children.length];
      return child && disturb(api, child, step.by);
    }
    case 'stranger':
      return permitted(api.create(deployment, step.name, await strangerOf(api, step.as)));
  }
}

async function playOnResource(
  { api }: Place,
  step: Extract<Step, { readonly do: 'annotate' | 'remove' | 'create anew' }>,
): Promise<void> {
  const { resources } = await look(api);
  const resource = resources[step.at % resources.length];
  if (resource === undefined) return;
  const type = resource.kind === 'Foo' ? foo : website;
  const { name } = resource.metadata;
  if (step.do === 'annotate') {
    const annotations = { 'serverless-reconciler/suspend': step.suspend ? 'true' : null };
    return void (await api.patch(type, name, { metadata: { annotations } }));
  }
  await api.remove(type, name);
  if (step.do === 'create anew') {
    await permitted(api.create(type, name, { spec: resource.spec as JsonObject }));
  }
}
