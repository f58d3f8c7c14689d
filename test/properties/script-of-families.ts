import fc from 'fast-check';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { kinds } from '../support/config.ts';
import { familyDisturbances } from './disturb-families.ts';
import { disturbanceIn, happeningsOf, type Step, scriptsOf } from './script.ts';

/** Names of resources. A ContainerApp and a Database with the same name desire the same Service. */
const names = { Application: ['p', 'q'], ContainerApp: ['c', 'd'], Database: ['d', 'e'] } as const;
type Family = keyof typeof names;
/** Omits families whose kind is not configured. */
const families = (Object.keys(names) as Family[]).filter((name) =>
  kinds.some(({ kind }) => kind === name),
);

const endpoints = fc.uniqueArray(
  fc.record({
    path: fc.constantFrom('/', '/a', '/a/b', '/c'),
    scopes: fc.subarray(['u', 'v']) as fc.Arbitrary<readonly string[]>,
  }),
  { maxLength: 4, selector: ({ path }) => path },
);

/** Resources of a pod, which may be omitted, or removed by null in an edit. */
const amounts = fc.constantFrom<JsonObject>(
  { requests: { cpu: '0.5', memory: '1024Mi' } },
  { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: 2 } },
);

const specs: Readonly<Record<Family, fc.Arbitrary<JsonObject>>> = {
  Application: fc.record({
    greeting: fc.constantFrom('Hello', 'World'),
    amountPods: fc.integer({ min: 0, max: 2 }),
    image: fc.constantFrom('greeter:1', 'greeter:2'),
    version: fc.constantFrom('1.0.0', '2'),
  }),
  ContainerApp: fc.record({
    image: fc.constantFrom('nginx:1', 'nginx:2'),
    minReplicas: fc.integer({ min: 1, max: 2 }),
    maxReplicas: fc.integer({ min: 2, max: 3 }),
    endpoints,
  }) as fc.Arbitrary<JsonObject>,
  Database: fc.record({
    image: fc.constantFrom('postgres:14', 'postgres:15'),
    replicas: fc.integer({ min: 1, max: 2 }),
    storage: fc.constant({ size: '1024Mi' }),
    resources: amounts,
    databaseName: fc.constant('mydb'),
    username: fc.constant('admin'),
  }),
};

const onFamily = (act: 'create' | 'edit'): fc.Arbitrary<Step> =>
  fc.oneof(
    ...families.map((kind) =>
      fc.record({
        do: fc.constant(act),
        kind: fc.constant(kind),
        name: fc.constantFrom(...names[kind]),
        spec: specs[kind],
      }),
    ),
  );

const birth = onFamily('create');

const happening = happeningsOf({
  birth,
  edit: onFamily('edit'),
  disturbance: disturbanceIn(familyDisturbances),
  rare: fc.constantFrom<Step>({ do: 'remove foreign objects' }, { do: 'restore passwords' }),
});

/** Creates resources of kinds whose children need one another, and acts on all of them. */
export const familyScripts: fc.Arbitrary<readonly Step[]> = scriptsOf(birth, happening);
