import { beforeEach, describe, expect, test } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { type Result, reconcile } from '../../shared/resource/reconcile.ts';
import type { Share } from '../../shared/resource/turn.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { condition } from '../scenarios/resources.ts';
import { eachCall } from './calls.ts';
import { type RunParts, runWith } from './run-with.ts';
import { nowMs } from './step-world.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

const world = useStepWorld([foo, website]);
const place = usePlace(world);
beforeEach(async () => {
  await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
});

interface How extends Partial<Share> {
  readonly run?: Partial<RunParts>;
  readonly kind?: Kind;
  readonly name?: string;
}

/** Reconciles the present resource once. */
async function turn({ run = {}, kind = foo, name = 'f', ...over }: How = {}): Promise<Result> {
  const state = await world.begin(place, kind, name);
  const given = { prune: () => true, freshUntil: nowMs + 10_000, timeoutMs: 60_000 };
  return reconcile(runWith(world.run, run), state.world, { ...given, ...over });
}

/** Opens the cluster, and acts before each call of that name. */
const disturbed = (named: string, act: (nth: number) => Promise<unknown>): Cluster => {
  let nth = 0;
  return eachCall(world.run.cluster, async (what, call) => {
    if (what === named) await act(++nth);
    return call();
  });
};
const ready = async () => condition(await place.api.get(foo, 'f'), 'Ready');
const results = ({ outcomes }: Result) =>
  outcomes.map(({ child, result }) => `${result} ${child.kind} ${child.name}`);
const rename = (deploymentName: string) => place.api.patch(foo, 'f', { spec: { deploymentName } });

/** Creates a Deployment without a controller. */
const foreign = (): JsonObject => ({
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'a', image: 'nginx:1' }] },
    },
  },
});

describe('reconciling a resource', () => {
  test('writes children and the status, and nothing in the next run', async () => {
    const first = await turn();
    expect(first).toMatchObject({
      key: `foos.example.com ${place.namespace}/f`,
      namespace: place.namespace,
      summary: { state: 'Reconciling' },
      wrote: true,
      statusWritten: true,
      cutOff: false,
    });
    expect(first.error).toBeUndefined();
    expect(results(first)).toEqual(['created Deployment a']);
    const second = await turn();
    expect(second).toMatchObject({ wrote: false, statusWritten: false, cutOff: false });
    expect(results(second)).toEqual(['unchanged Deployment a']);
  });

  test('deletes unwanted children only with permission to prune', async () => {
    await turn();
    await rename('b');
    const asked: string[] = [];
    const withheld = await turn({
      prune: ({ name }) => {
        asked.push(name);
        return false;
      },
    });
    expect(new Set(asked)).toEqual(new Set(['f']));
    expect(results(withheld)).toEqual(['created Deployment b', 'skipped Deployment a']);
    expect(results(await turn())).toEqual(['unchanged Deployment b', 'deleted Deployment a']);
  });

  test('C-14 reports that a resource is suspended', async () => {
    const annotations = { 'serverless-reconciler/suspend': 'true' };
    await place.api.patch(foo, 'f', { metadata: { annotations } });
    expect(await turn()).toMatchObject({ summary: undefined, statusWritten: true, outcomes: [] });
    expect(condition(await place.api.get(foo, 'f'), 'Suspended')?.status).toBe('True');
  });

  test('writes nothing for a resource that is being deleted', async () => {
    await place.api.patch(foo, 'f', { metadata: { finalizers: ['example.org/kept'] } });
    await place.api.remove(foo, 'f');
    const { status } = await place.api.get(foo, 'f');
    expect(await turn()).toMatchObject({ summary: undefined, statusWritten: false, outcomes: [] });
    expect((await place.api.get(foo, 'f')).status).toEqual(status);
  });
});

describe('an object that changes before it is written', () => {
  const scaled = () => place.api.scale(deployment, 'a', 5);
  const note = (nth: number) =>
    place.api.patch(deployment, 'a', { metadata: { annotations: { nth: String(nth) } } });
  beforeEach(async () => {
    await turn();
    await scaled();
  });

  test('is read and planned again', async () => {
    const cluster = disturbed('apply Deployment a', async (nth) => nth === 1 && (await note(nth)));
    const result = await turn({ run: { cluster } });
    expect(result.error).toBeUndefined();
    expect(results(result)).toEqual(['updated Deployment a']);
    expect((await place.api.get(deployment, 'a')).spec).toMatchObject({ replicas: 1 });
  });

  test('ends an apply of a plan, and nothing is reported', async () => {
    const previous = (await place.api.get(foo, 'f')).status;
    const cluster = disturbed('apply Deployment a', note);
    const result = await turn({ once: true, run: { cluster } });
    expect(result).toMatchObject({
      error: 'cannot update Deployment a: Conflict: it changed meanwhile',
      summary: undefined,
      statusWritten: false,
      outcomes: [],
    });
    expect((await place.api.get(foo, 'f')).status).toEqual(previous);
  });

  test('fails after five conflicts in a row', async () => {
    let tried = 0;
    const cluster = disturbed('apply Deployment a', (nth) => {
      tried = nth;
      return note(nth);
    });
    const result = await turn({ run: { cluster } });
    expect(tried).toBe(5);
    expect(result.outcomes).toMatchObject([{ result: 'failed', reason: 'Conflict' }]);
    expect(result).toMatchObject({ statusWritten: true, cutOff: false });
    expect((await ready())?.reason).toBe('Conflict');
  });
});

describe('a resource that is edited', () => {
  test('while its status is written is reconciled again, and earlier writes stay reported', async () => {
    const cluster = disturbed(
      'apply Foo/status f',
      async (nth) => nth === 1 && (await rename('b')),
    );
    const result = await turn({ run: { cluster } });
    expect(result.error).toBeUndefined();
    expect(results(result).toSorted()).toEqual(['created Deployment b', 'deleted Deployment a']);
    expect((await place.api.get(foo, 'f')).status).toMatchObject({ observedGeneration: 2 });
  });

  test('fails if it is edited at every write of its status, and the status says so', async () => {
    const cluster = disturbed('apply Foo/status f', (nth) =>
      nth > 5 ? Promise.resolve() : rename(`a${nth}`),
    );
    const result = await turn({ run: { cluster } });
    expect(result).toMatchObject({
      summary: { state: 'Reconciling', reason: 'Conflict' },
      statusWritten: true,
      cutOff: false,
      wrote: true,
    });
    expect(result.error).toMatch(/^not finished, will be tried again in the next run: cannot/);
    expect((await ready())?.reason).toBe('Conflict');
  });

  test('is reported with its last spec, without outcomes for children of former ones', async () => {
    await place.api.create(deployment, 'a', foreign());
    const cluster = disturbed(
      'apply Foo/status f',
      async (nth) => nth === 1 && (await rename('b')),
    );
    expect(results(await turn({ run: { cluster } }))).toEqual(['created Deployment b']);
  });

  test('keeps the outcomes of earlier writes', async () => {
    await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: place.nodePort() } });
    const edit = () => place.api.patch(website, 'w', { spec: { imageTag: 'v2' } });
    const cluster = disturbed('apply Website/status w', async (nth) => nth === 1 && (await edit()));
    const result = await turn({ kind: website, name: 'w', run: { cluster } });
    expect(results(result)).toEqual(['updated Deployment w', 'created Service w']);
  });

  test('or deleted together with its child has no result', async () => {
    await turn();
    await place.api.scale(deployment, 'a', 5);
    const cluster = disturbed('apply Deployment a', async () => {
      await place.api.remove(foo, 'f');
      await place.api.remove(deployment, 'a');
    });
    const result = await turn({ run: { cluster } });
    expect(result).toMatchObject({ summary: undefined, statusWritten: false, outcomes: [] });
    expect(result.error).toBeUndefined();
  });
});

describe('any other failure', () => {
  test("in the kind's code concerns that resource only, and is shown in its status", async () => {
    const kind: Kind = {
      ...foo,
      desired: () => {
        throw new Error('broken');
      },
    };
    const state = await world.begin(place, foo, 'f');
    const given = { prune: () => true, freshUntil: nowMs, timeoutMs: 60_000 };
    const result = await reconcile(world.run, { ...state.world, kind }, given);
    const message = "the kind's code fails: broken";
    expect(result).toMatchObject({ error: message, summary: { reason: 'InvalidSpec', message } });
    expect(result).toMatchObject({ statusWritten: true, wrote: false, cutOff: false });
  });

  test('of the cluster client leaves the status unchanged', async () => {
    const cluster = disturbed('apply Foo/status f', async (nth) => {
      if (nth === 1) throw new Error('broken');
    });
    const result = await turn({ run: { cluster } });
    expect(result).toMatchObject({ error: 'broken', summary: undefined, statusWritten: false });
    expect((await place.api.get(foo, 'f')).status).toEqual({ observedGeneration: -1 });
  });

  test('without a response in a later pass is left to the next run, and counts as a write', async () => {
    const cluster = disturbed('apply Deployment a', () =>
      Promise.reject(new UnreachableError('no response')),
    );
    const result = await turn({ run: { cluster, trigger: 'later' } });
    expect(result.outcomes).toMatchObject([{ result: 'failed', transient: true }]);
    expect(result).toMatchObject({ wrote: true, cutOff: false });
  });
});

describe('the time for a resource', () => {
  /** Returns a clock that advances by a minute with each read. */
  const running = (): RunParts['now'] => {
    let minutes = 0;
    return () => new Date(nowMs + 60_000 * ++minutes);
  };
  const lost = () =>
    disturbed('apply Deployment a', () => Promise.reject(new UnreachableError('no response')));

  test('is reported as used up if work is left', async () => {
    const cut = await turn({ timeoutMs: 60_000, run: { now: running(), cluster: lost() } });
    expect(cut.cutOff).toBe(true);
    const done = await turn({ timeoutMs: 60_000, run: { now: running() } });
    expect(done.cutOff).toBe(false);
    const rest = await turn({ timeoutMs: 60_000_000, run: { now: running(), cluster: lost() } });
    expect(rest.cutOff).toBe(false);
  });

  test('is followed by five more seconds for Events and the status', async () => {
    const limits: number[] = [];
    const { cluster } = world.run;
    const withTimeout = (ms: number): Cluster => {
      limits.push(ms);
      return cluster.withTimeout(ms);
    };
    const limited = eachCall(cluster, (_, call) => call());
    await turn({ timeoutMs: 20_000, run: { cluster: { ...limited, withTimeout } } });
    expect(limits).toEqual([20_000, 25_000]);
  });

  test('is reported as used up if one of several children is left', async () => {
    await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: place.nodePort() } });
    const cluster = disturbed('apply Deployment w', () =>
      Promise.reject(new UnreachableError('no response')),
    );
    const given = { kind: website, name: 'w', timeoutMs: 60_000 };
    const cut = await turn({ ...given, run: { now: running(), cluster } });
    expect(results(cut)).toEqual(['failed Deployment w', 'created Service w']);
    expect(cut.cutOff).toBe(true);
  });

  const never = () => new Promise<never>(() => undefined);

  test('is not spent on a wait for Services', async () => {
    const port = place.nodePort();
    const spec = { type: 'NodePort', ports: [{ port: 80, nodePort: port }] };
    await place.api.create(service, 'holder', { spec });
    await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: port } });
    const run: Partial<RunParts> = { nodePorts: never };
    const { outcomes } = await turn({ kind: website, name: 'w', timeoutMs: 300, run });
    expect(outcomes).toContainEqual(expect.objectContaining({ reason: 'Invalid' }));
  });
});
