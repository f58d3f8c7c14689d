import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployment, service } from '../../shared/kinds/child-types.ts';
import {
  blockedBy,
  controllerOf,
  faultsIn,
  isDeleting,
  isHeldUp,
  look,
  type Scene,
  wantedOf,
} from '../reconcile/desired.ts';
import {
  type Engine,
  isWriteRequest,
  namespaceType,
  openEngine,
  type Place,
  type RequestRecord,
} from '../reconcile/engine.ts';
import type { Live } from '../scenarios/api.ts';
import { effort, patience } from './runs.ts';
import { edits, play, type Step, scripts } from './script.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});
afterAll(() => engine.stop());

/** Writes children, sees their pods ready, says so. */
const ticksNeeded = 3;

test('a second run writes nothing', () => everyWorld(edits, 15), patience);

test('every world converges, and nobody else is touched', () => everyWorld(scripts, 40), patience);

const everyWorld = (worlds: fc.Arbitrary<readonly Step[]>, cases: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(worlds, fc.boolean(), async (steps, paused) => {
      const { controllers, requests } = engine.cluster;
      requests.reset();
      if (paused) controllers.pause();
      const place = await engine.place();
      try {
        for (const step of steps) {
          await (step.do === 'tick' ? tick(place) : play(engine, place, step));
        }
        await converge(place, paused);
      } finally {
        controllers.resume();
        await release(place);
        await engine.admin.remove(namespaceType, place.namespace);
        await controllers.settled();
      }
    }),
    effort(cases),
  );

/** Takes away what holds the deleted. */
async function release({ api }: Place): Promise<void> {
  for (const { kind, metadata } of (await look(api)).children.filter(isDeleting)) {
    const type = kind === 'Service' ? service : deployment;
    await api.patch(type, metadata.name, { metadata: { finalizers: null } });
  }
}

async function converge(place: Place, paused: boolean): Promise<void> {
  await engine.cluster.controllers.settled();
  const start = await look(place.api);
  for (let ticks = 0; ticks < ticksNeeded; ticks++) await tick(place);
  const scene = await look(place.api);
  expect(faultsIn(scene)).toEqual([]);
  expect(misreported(scene, paused)).toEqual([]);
  expect(additionsIn(scene)).toEqual(expect.arrayContaining(additionsIn(start)));
  engine.cluster.requests.reset();
  await place.tick();
  expect(place.requests().filter(isWriteRequest).filter(isBesideTheWay(scene))).toEqual([]);
  expect(await look(place.api)).toEqual(scene);
}

/** Where something stands in the way, a create is tried again at every tick, and refused. */
const isBesideTheWay =
  (scene: Scene) =>
  ({ resource, name, status }: RequestRecord): boolean =>
    status !== 409 ||
    ![
      ...scene.resources.flatMap((one) => blockedBy(scene, one)),
      ...scene.children.filter(isDeleting),
    ].some(({ kind, metadata }) => metadata.name === name && `${kind.toLowerCase()}s` === resource);

/** A run, before which the controllers have done their part; what is not ours stays as it is. */
async function tick({ api, tick: run }: Place): Promise<void> {
  await engine.cluster.controllers.settled();
  const before = await look(api);
  const report = await run();
  expect(report.incomplete).toEqual([]);
  const left = foreignIn(await look(api), before);
  expect(left).toEqual(foreignIn(before, before));
}

/** Objects that no resource here controlled. */
function foreignIn(scene: Scene, at: Scene): readonly Live[] {
  const own = new Set(at.resources.map(({ metadata }) => metadata.uid));
  const uids = at.children
    .filter((live) => !own.has(controllerOf(live) ?? ''))
    .map(({ metadata }) => metadata.uid);
  return scene.children.filter(({ metadata }) => uids.includes(metadata.uid));
}

/** Resources whose conditions do not say how things are. */
function misreported(scene: Scene, paused: boolean): readonly string[] {
  return scene.resources.flatMap((resource) => {
    const { status, metadata, kind } = resource;
    const said = status?.conditions?.map(({ type, reason }) => `${type}=${reason}`) ?? [];
    const expected = expectedWord(scene, resource, paused);
    const current =
      /^Suspended|ChildDeleting/.test(expected) ||
      status?.observedGeneration === metadata.generation;
    return isDeleting(resource) || (current && said.includes(expected))
      ? []
      : [`${kind} ${metadata.name} is not ${expected}: ${JSON.stringify(status)}`];
  });
}

function expectedWord(scene: Scene, resource: Live, paused: boolean): string {
  if (resource.metadata.annotations?.['serverless-reconciler/suspend'] === 'true')
    return 'Suspended=Suspended';
  if (wantedOf(resource) === undefined) return 'Stalled=InvalidSpec';
  if (blockedBy(scene, resource).length > 0) return 'Stalled=ErrResourceExists';
  if (isHeldUp(scene, resource)) return 'Reconciling=ChildDeleting';
  return paused ? 'Reconciling=Progressing' : 'Ready=Ready';
}

/** What others put beside ours in children that are wanted. */
function additionsIn(scene: Scene): string[] {
  const wanted = scene.resources.flatMap((resource) =>
    (wantedOf(resource) ?? []).map(
      ({ type, name }) => `${resource.metadata.uid} ${type.kind} ${name}`,
    ),
  );
  return scene.children
    .filter((live) => wanted.includes(`${controllerOf(live)} ${live.kind} ${live.metadata.name}`))
    .filter((live) => !isDeleting(live))
    .flatMap(({ kind, metadata, spec }) => {
      const { labels = {}, annotations = {} } = metadata;
      const { template, sessionAffinity, strategy } = (spec ?? {}) as unknown as Spec;
      const containers = template?.spec.containers ?? [];
      const names = [
        ...Object.keys({ ...labels, ...annotations }).filter((key) => key.startsWith('other/')),
        ...Object.keys(template?.metadata.labels ?? {}).filter((key) => key.startsWith('other/')),
        ...containers.flatMap(({ name, env = [] }) => [
          ...(name === 'nginx' ? [] : [name]),
          ...env.map((one) => one.name),
        ]),
        `session affinity ${sessionAffinity}`,
        `strategy ${strategy?.type}`,
      ];
      return names.map((name) => `${kind} ${metadata.name}: ${name}`);
    });
}

interface Spec {
  readonly sessionAffinity?: string;
  readonly strategy?: { readonly type: string };
  readonly template?: {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly spec: {
      readonly containers: readonly {
        readonly name: string;
        readonly env?: readonly { readonly name: string }[];
      }[];
    };
  };
}
