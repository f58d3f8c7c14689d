import fc from 'fast-check';
import { expect } from 'vitest';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import type { Report } from '../../shared/resync/report.ts';
import { behind, type ClusterSnapshot, takeSnapshot } from '../../testing/reliable/behind.ts';
import {
  editorOf,
  editsOf,
  type SpecificationEdit,
  specificationsOf,
} from '../../testing/specifications/specifications.ts';
import { RefusedError } from '../../testing/user.ts';
import { type Around, eachCall } from '../reconcile/calls.ts';
import type { Settings } from '../reconcile/engine.ts';
import type { Api, Live } from '../scenarios/api.ts';
import { withFault } from './call-fault.ts';
import { effort } from './runs.ts';
import { ends, type World } from './world-end.ts';

/** A cluster on which sequences are played, each in a namespace of its own. */
export interface Ground {
  place(): Promise<GroundPlace>;
  /** Waits until the controllers have nothing left to do. */
  settled(): Promise<void>;
}

export interface GroundPlace {
  readonly api: Api;
  resync(settings?: Partial<Settings>): Promise<Report>;
  /** Removes everything in the namespace, so that its node ports are free. */
  close(): Promise<void>;
}

/** An edit, and the point at which the next one interrupts the engine. */
interface Step {
  readonly edit: { readonly to: JsonObject } | SpecificationEdit;
  readonly run: 'nothing' | 'rest' | Death;
}

interface Death {
  /** Counts the calls before it. */
  readonly at: number;
  readonly when: 'before' | 'after';
}

export interface Sequence {
  readonly first: JsonObject;
  readonly steps: readonly Step[];
}

const name = 'one';

export function sequencesOf(kind: Kind): fc.Arbitrary<Sequence> {
  const specs = specificationsOf(kind);
  const death: fc.Arbitrary<Death> = fc.record({
    at: fc.nat({ max: 30 }),
    when: fc.constantFrom('before', 'after'),
  });
  const step: fc.Arbitrary<Step> = fc.record({
    edit: fc.oneof(
      { weight: 2, arbitrary: editsOf(kind) },
      specs.map((to) => ({ to })),
    ),
    run: fc.oneof(fc.constantFrom('nothing' as const, 'rest' as const), death),
  });
  return fc.record({ first: specs, steps: fc.array(step, { minLength: 1, maxLength: 5 }) });
}

/**
 * Plays each sequence: the children end as those of a new resource with the last spec. After an edit
 * back to the first spec, they end as those of a new resource with the first one.
 */
export const everySequence = (ground: Ground, kind: Kind, cases: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(sequencesOf(kind), async (sequence) => {
      const world = await begin(ground, kind, sequence.first);
      let left: World & { readonly spec: JsonObject };
      let back: World & { readonly spec: JsonObject };
      try {
        if (sequence.steps[0]?.run === 'rest') await world.rest();
        for (const step of sequence.steps) await world.take(step);
        await world.rest();
        left = await world.look();
        await world.edit(() => sequence.first);
        await world.rest();
        back = await world.look();
      } finally {
        await world.close();
      }
      await expectFresh(ground, kind, left);
      await expectFresh(ground, kind, back);
    }),
    effort(cases),
  );

/**
 * Plays each sequence, then for each earlier moment a run that reads the objects of that moment: it overwrites no
 * child, and the next run, which reads the current objects, leaves everything unchanged.
 */
export const everyReadBehind = (ground: Ground, kind: Kind, cases: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(sequencesOf(kind), async ({ first, steps }) => {
      const world = await begin(ground, kind, first);
      try {
        const moments: ClusterSnapshot[] = [await world.snapshot()];
        await world.rest();
        for (const { edit } of steps) {
          await world.take({ edit, run: 'nothing' });
          moments.push(await world.snapshot());
          await world.rest();
        }
        const present = await world.look();
        for (const moment of moments) {
          await world.runBehind(moment);
          const versions = versionsIn(await world.look());
          expect(versions).toEqual(expect.arrayContaining([...versionsIn(present)]));
        }
        await world.rest();
        expectSame(await world.look(), present);
      } finally {
        await world.close();
      }
    }),
    effort(cases),
  );

const versionsIn = ({ children }: World): readonly string[] =>
  children.map(({ metadata: { uid, resourceVersion } }) => `${uid} ${resourceVersion}`);

/**
 * Compares a world with a fresh one. If the API server refuses a child, this child stays as accepted before, and
 * unwanted children stay as well: then only the children of the fresh world are compared.
 */
function expectSame(found: World, fresh: World): void {
  const isRefused = fresh.resource.status?.conditions?.some(({ type }) => type === 'Stalled');
  const titles = fresh.children.map(titleOf);
  const children = found.children.filter((one) => !isRefused || titles.includes(titleOf(one)));
  const [one, other] = ends({ ...found, children }, fresh);
  if (!isRefused) {
    expect(one).toEqual(other);
    return;
  }
  const { 'the resource': _, ...comparable } = other;
  expect(one).toMatchObject(comparable);
  expect(found.resource.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Stalled', status: 'True' }),
  );
}

const titleOf = ({ kind, metadata: { name: own } }: Live): string => `${kind} ${own}`;

async function expectFresh(
  ground: Ground,
  kind: Kind,
  { spec, ...found }: World & { readonly spec: JsonObject },
): Promise<void> {
  const fresh = await begin(ground, kind, spec);
  try {
    await fresh.rest();
    expectSame(found, await fresh.look());
  } finally {
    await fresh.close();
  }
}

/** The maximum number of resyncs until nothing changes any more. */
const mostResyncs = 8;

async function begin(ground: Ground, kind: Kind, first: JsonObject) {
  const { api, resync, close } = await ground.place();
  const editor = editorOf(kind);
  await permitted(api.create(kind, name, { spec: first }));
  let { spec } = (await api.get(kind, name)) as { readonly spec: JsonObject };

  async function edit(to: (spec: JsonObject) => JsonObject): Promise<void> {
    const live = await api.get(kind, name);
    await permitted(api.replace(kind, { ...live, spec: to(spec) }));
    spec = (await api.get(kind, name)).spec as JsonObject;
  }

  async function run(around: Around = (_, call) => call()): Promise<readonly string[]> {
    const writes: string[] = [];
    await ground.settled();
    await resync({
      through: (cluster) =>
        eachCall(cluster, async (what, call) => {
          const result = await around(what, call);
          if (!/^(list|get|dry-run) ?/.test(what)) writes.push(what);
          return result;
        }),
    });
    return writes;
  }

  async function rest(): Promise<void> {
    let writes: readonly string[] = [];
    for (let resyncs = 0; resyncs < mostResyncs; resyncs++) {
      writes = await run();
      if (writes.length === 0) return;
    }
    expect(writes, 'the world does not come to rest').toEqual([]);
  }

  async function look(): Promise<World & { readonly spec: JsonObject }> {
    const resource = await api.get(kind, name);
    const lists = await Promise.all(
      kind.owns.map((type) =>
        api.list(type).then((all) => all.map((live) => ({ ...live, kind: type.kind }))),
      ),
    );
    const children = lists
      .flat()
      .filter((live) =>
        live.metadata.ownerReferences?.some(({ uid }) => uid === resource.metadata.uid),
      );
    return { kind, resource, children, spec };
  }

  return {
    edit,
    rest,
    look,
    close,
    snapshot: () => takeSnapshot(api.list, kind),
    runBehind: (snapshot: ClusterSnapshot) =>
      resync({ through: (cluster) => behind(cluster, snapshot) }),
    async take({ edit: change, run: until }: Step): Promise<void> {
      await edit((now) => ('path' in change ? editor(now, change) : change.to));
      if (until === 'rest') await rest();
      else if (until !== 'nothing')
        await run(
          withFault((_, call) => call(), {
            at: until.at,
            how: `the end of the process ${until.when} it`,
          }),
        ).catch(() => undefined);
    },
  };
}

/** Ignores a request that the API server refuses. */
async function permitted(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!(error instanceof RefusedError)) throw error;
  });
}
