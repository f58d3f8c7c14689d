import fc from 'fast-check';
import { test } from 'vitest';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { permitted } from '../properties/disturb.ts';
import { effort, testTimeoutMs } from '../properties/runs.ts';
import type { Live } from '../scenarios/api.ts';
import { kindsFor } from '../support/config.ts';
import { childTypes } from '../support/observe.ts';
import { namespaceType, type Place } from './engine.ts';
import { compare } from './preview-comparison.ts';
import { useEngine } from './use-engine.ts';

const kinds = kindsFor({ authUrl: 'http://auth.example.com/check', ingressClass: 'nginx' });
const kindOf = (name: string) => kinds.find(({ kind }) => kind === name)!;

const engine = useEngine();

type Step =
  | { readonly do: 'resync' | 'settle' }
  | { readonly do: 'create' | 'edit'; readonly kind: string; readonly spec: JsonObject }
  | { readonly do: 'disturb'; readonly at: number; readonly by: number };

const endpoints = fc.uniqueArray(
  fc.record({
    path: fc.constantFrom('/', '/a', '/a/b', '/c'),
    scopes: fc.subarray(['u', 'v']),
  }),
  { maxLength: 4, selector: ({ path }) => path },
);

const specs: Readonly<Record<string, fc.Arbitrary<JsonObject>>> = {
  ContainerApp: fc.record({
    image: fc.constantFrom('nginx:1', 'nginx:2'),
    minReplicas: fc.integer({ min: 1, max: 3 }),
    maxReplicas: fc.integer({ min: 3, max: 5 }),
    endpoints,
  }),
  Application: fc.record({
    amountPods: fc.integer({ min: 0, max: 3 }),
    greeting: fc.constantFrom('hello', 'goodbye'),
    version: fc.constantFrom('1', '2'),
  }),
  Database: fc.record({
    image: fc.constantFrom('postgres:14', 'postgres:15'),
    replicas: fc.integer({ min: 1, max: 3 }),
    storage: fc.constant({ size: '1024Mi' }),
    databaseName: fc.constant('d'),
    username: fc.constant('u'),
  }),
};

const write = (how: 'create' | 'edit'): fc.Arbitrary<Step> =>
  fc.oneof(
    ...Object.entries(specs)
      .filter(([name]) => kinds.some(({ kind }) => kind === name))
      .map(([kind, spec]) => fc.record({ do: fc.constant(how), kind: fc.constant(kind), spec })),
  );

/** Merge patches with which others change a child; undefined deletes it. */
const disturbances: readonly (JsonObject | undefined)[] = [
  undefined,
  { metadata: { labels: null } },
  { metadata: { labels: { 'app.kubernetes.io/managed-by': 'somebody' } } },
  { metadata: { annotations: { 'nginx.ingress.kubernetes.io/auth-url': null } } },
  { metadata: { ownerReferences: null } },
  { metadata: { managedFields: [{}] } },
  { spec: { replicas: 5 } },
  { spec: { maxReplicas: 9 } },
  { spec: { template: { metadata: { annotations: null } } } },
  { data: { GREETING_MESSAGE: 'eA==', username: 'eA==' } },
  { data: null },
];

const happening: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>({ do: 'resync' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'settle' }) },
  { weight: 4, arbitrary: write('edit') },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('disturb' as const),
      at: fc.nat({ max: 11 }),
      by: fc.nat({ max: disturbances.length - 1 }),
    }),
  },
);

const scripts = fc
  .tuple(
    fc.array(write('create'), { minLength: 1, maxLength: 3 }),
    fc.array(happening, { minLength: 1, maxLength: 8 }),
  )
  .map(([births, happenings]) => [...births, ...happenings]);

/** A Service of a Database whose managedFields are cleared, and that then loses its label. */
const forgotten: readonly Step[] = [
  {
    do: 'create',
    kind: 'Database',
    spec: {
      image: 'postgres:14',
      replicas: 1,
      storage: { size: '1024Mi' },
      databaseName: 'd',
      username: 'u',
    },
  },
  { do: 'resync' },
  { do: 'resync' },
  { do: 'disturb', at: 0, by: 5 },
  { do: 'disturb', at: 0, by: 1 },
];

test(
  'apply and a resync send exactly the requests of a plan for Secrets, Ingresses, autoscalers and claims',
  () =>
    fc.assert(
      fc.asyncProperty(
        scripts,
        fc.constantFrom('apply' as const, 'resync' as const),
        async (steps, how) => {
          const { controllers } = engine.cluster;
          const place = await engine.place();
          try {
            for (const step of steps) await play(place, step);
            await controllers.settled();
            controllers.pause();
            await compare({ engine, place, kinds, how });
          } finally {
            controllers.resume();
            await engine.admin.remove(namespaceType, place.namespace);
            await controllers.settled();
          }
        },
      ),
      { ...effort(40), examples: [[[...forgotten], 'apply']] },
    ),
  testTimeoutMs,
);

async function play({ api, resync }: Place, step: Step): Promise<unknown> {
  switch (step.do) {
    case 'resync':
      return resync({ kinds });
    case 'settle':
      return engine.cluster.controllers.settled();
    case 'create':
      return permitted(api.create(kindOf(step.kind), step.kind.toLowerCase(), { spec: step.spec }));
    case 'edit':
      return permitted(api.patch(kindOf(step.kind), step.kind.toLowerCase(), { spec: step.spec }));
    case 'disturb': {
      const lists = await Promise.all(
        childTypes.map(async (type) =>
          (await api.list(type)).map((live: Live) => ({ type, name: live.metadata.name })),
        ),
      );
      const found = lists.flat();
      const child = found[step.at % Math.max(found.length, 1)];
      if (child === undefined) return;
      const body = disturbances[step.by];
      return permitted(
        body === undefined
          ? api.remove(child.type, child.name)
          : api.patch(child.type, child.name, body),
      );
    }
  }
}
