import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { listOf, misrouted } from '../reconcile/admission.ts';
import { type Engine, engineUser } from '../reconcile/engine.ts';
import { useEngine } from '../reconcile/use-engine.ts';
import { condition } from '../scenarios/resources.ts';
import { kindsFor } from '../support/config.ts';
import { childTypes } from '../support/observe.ts';
import { effort, testTimeoutMs } from './runs.ts';

const kinds = kindsFor({ authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' });
const app = kinds.find(({ kind }) => kind === 'ContainerApp')!;

const engine = useEngine({ controllers: 'paused' });
afterEach(() => engine.cluster.undisturb());

const habits = ['none', 'status', 'annotations'] as const;
type Habit = (typeof habits)[number];

const written: Readonly<Record<Habit, () => object>> = {
  none: () => ({}),
  status: () => ({
    status: { loadBalancer: { ingress: [{ hostname: `${randomUUID()}.local` }] } },
  }),
  annotations: () => ({ metadata: { annotations: { now: randomUUID() } } }),
};

const own = childTypes.filter((type) => app.owns.includes(type));
const habitOf = fc.record(
  Object.fromEntries(own.map(({ kind }) => [kind, fc.constantFrom(...habits)])),
);

const before = { '/a': ['u'], '/b': ['v'] };
const after = { '/c': ['u'], '/b': ['v'] };

/**
 * Fails if conflicts are counted for the whole resource, if one of them ends the run of the resource,
 * if other Ingresses are compared by version, or if a status is locked to its version only.
 */
test(
  'whatever others keep writing, each child that they do not write converges',
  async () => {
    await fc.assert(
      fc.asyncProperty(habitOf, fc.boolean(), async (habit: Record<string, Habit>, isTouched) => {
        const place = await engine.place();
        await place.api.create(app, 'shop', {
          spec: { image: 'nginx', endpoints: listOf(before) },
        });
        await place.resync({ kinds: [app] });
        await place.api.patch(app, 'shop', {
          spec: { image: 'nginx:2', maxReplicas: 4, endpoints: listOf(after) },
        });
        await place.api.remove(typeNamed('Service'), 'shop');
        engine.cluster.intercept(async ({ user, namespace, verb, resource, name }) => {
          if (user !== engineUser || namespace !== place.namespace || verb === 'list') return;
          if (isTouched) await place.api.patch(app, 'shop', written.annotations());
          const type = own.find(({ plural }) => plural === resource);
          const act = type && habit[type.kind];
          if (type === undefined || act === undefined || act === 'none' || verb !== 'patch') return;
          const live = await place.api.find(type, name);
          if (live === undefined) return;
          const how = act === 'status' ? ({ subresource: 'status' } as const) : {};
          await place.api.patch(type, name, written[act](), how).catch(() => undefined);
        });
        await place.resync({ kinds: [app] });
        engine.cluster.undisturb();
        const spoilt = own.map(({ kind }) => kind).filter((kind) => habit[kind] !== 'none');
        const live = await place.api.get(app, 'shop');
        const left = await unwanted(place, spoilt);
        expect(left, JSON.stringify({ habit, isTouched })).toEqual([]);
        expect(condition(live, 'Ready')?.observedGeneration).toBe(live.metadata.generation);
      }),
      effort(40),
    );
  },
  testTimeoutMs,
);

const typeNamed = (kind: string): ChildType => own.find((type) => type.kind === kind)!;

type Place = Awaited<ReturnType<Engine['place']>>;

/** Lists kinds of children that are not up to date, except those that another writer keeps changing. */
async function unwanted(place: Place, spoilt: readonly string[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  const check = (kind: string, isRight: boolean): void => {
    if (!isRight && !spoilt.includes(kind)) wrong.push(kind);
  };
  const [workload] = await place.api.list(typeNamed('Deployment'));
  check('Deployment', JSON.stringify(workload?.spec).includes('nginx:2'));
  check('Service', (await place.api.list(typeNamed('Service'))).length === 1);
  const [scaler] = await place.api.list(typeNamed('HorizontalPodAutoscaler'));
  check('HorizontalPodAutoscaler', scaler?.spec?.maxReplicas === 4);
  check('Ingress', misrouted(await place.api.list(typeNamed('Ingress')), after).length === 0);
  return wrong;
}
