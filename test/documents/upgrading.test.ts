import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployment, type Kind, serviceAccount } from '../../index.ts';
import { lossesBetween } from '../../infra/check/lost-fields.ts';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { definitionType } from '../../shared/rollout/pause.ts';
import { type Engine, isWriteRequest, openEngine, type Place } from '../reconcile/engine.ts';
import { blocksOf, patched, withSources } from '../support/examples.ts';

/** The kind of docs/upgrading.md at the beginning or after one of its changes. */
interface Stage {
  readonly kind: Kind;
  readonly code: string;
}

let directory: string;
let engine: Engine;
let place: Place;
let stages: readonly Stage[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'upgrading-'));
  stages = await stagesOf('docs/upgrading.md');
  engine = await openEngine({ controllers: 'running' });
  await engine.install([kindAt(0)]);
  place = await engine.place([]);
  await place.api.create(kindAt(0), 'shop', { spec: { image: 'agent:1' } });
  await resync(0);
  expect(await names()).toEqual(['Deployment shop-agent', 'ServiceAccount shop']);
});
afterAll(async () => {
  await engine?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Reads the stages from the page; diffs without text between them form one stage. */
async function stagesOf(page: string): Promise<readonly Stage[]> {
  const blocks = (await blocksOf(page)).filter(({ language }) => /^(ts|diff)$/.test(language));
  const [whole, ...diffs] = blocks;
  const steps = [3, 1, 2, 2, 3, 2, 2];
  expect(diffs).toHaveLength(steps.reduce((sum, count) => sum + count));
  const codes = [whole?.text ?? ''];
  let at = 0;
  for (const count of steps) {
    const parts = diffs.slice(at, at + count).map(({ text }) => text);
    codes.push(parts.reduce(patched, codes.at(-1) ?? ''));
    at += count;
  }
  return Promise.all(codes.map(async (code) => ({ code, kind: await load(code) })));
}

let loaded = 0;
async function load(code: string): Promise<Kind> {
  loaded += 1;
  const file = join(directory, `agent-${loaded}.ts`);
  await writeFile(file, withSources(code));
  const { agent } = (await import(pathToFileURL(file).href)) as { readonly agent: Kind };
  return agent;
}

const kindAt = (at: number): Kind => (stages[at] as Stage).kind;

const resyncOf = async (kind: Kind) => {
  const begun = place.requests().length;
  const report = await place.resync({ kinds: [kind] });
  await engine.cluster.controllers.settled();
  const written = place.requests().slice(begun).filter(isWriteRequest);
  return { report, written: written.map(({ verb, resource }) => `${verb} ${resource}`) };
};

/** Resyncs with the kind of a stage until nothing is left to do; returns the first result. */
async function resync(at: number) {
  const first = await resyncOf(kindAt(at));
  await resyncOf(kindAt(at));
  return first;
}

const live = async () => {
  const lists = await Promise.all(
    [deployment, serviceAccount].map(async (type) => {
      const found = await place.api.list(type);
      return found.map(({ metadata }) => ({ kind: type.kind, metadata }));
    }),
  );
  return lists.flat().filter(({ metadata }) => metadata.name !== 'default');
};
const names = async () => (await live()).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
const pods = async (name: string) => (await place.api.get(deployment, name)).metadata.generation;

describe('a change of a kind as on docs/upgrading.md:', () => {
  test('a new field whose default is the previous value writes nothing', async () => {
    await engine.install([kindAt(1)]);
    const { written } = await resyncOf(kindAt(1));
    expect(written).toEqual([]);
  });

  test('older functions ignore the new field, and a rollback reverts its effect', async () => {
    await place.api.patch(kindAt(1), 'shop', { spec: { replicas: 3 } });
    await resync(1);
    expect((await place.api.get(deployment, 'shop-agent')).spec?.replicas).toBe(3);
    const { report } = await resync(0);
    expect(report.failures).toEqual([]);
    expect((await place.api.get(deployment, 'shop-agent')).spec?.replicas).toBe(1);
  });

  test('a new version writes each child once, without an Event or a restart of pods', async () => {
    await resync(1);
    const before = await pods('shop-agent');
    await engine.install([kindAt(2)]);
    const { written } = await resyncOf(kindAt(2));
    expect(written.filter((one) => !/agents|events/.test(one)).toSorted()).toEqual([
      'patch deployments',
      'patch serviceaccounts',
    ]);
    expect(written.filter((one) => one === 'create events')).toEqual([]);
    expect(await pods('shop-agent')).toBe(before);
    for (const { metadata } of await live())
      expect(metadata.ownerReferences).toMatchObject([{ apiVersion: 'example.org/v1beta1' }]);
  });

  test('children of a removed type are pruned', async () => {
    await engine.install([kindAt(3)]);
    await resync(3);
    expect(await names()).toEqual(['Deployment shop-agent']);
  });

  test('a renamed child replaces the old one', async () => {
    const { report } = await resync(4);
    expect(report.failures).toEqual([]);
    expect(await names()).toEqual(['Deployment shop-worker']);
  });

  test('a kind with another group and name adopts the children without a restart', async () => {
    const code = (stages[4] as Stage).code
      .replace("group: 'example.org'", "group: 'example.net'")
      .replace("kind: 'Agent'", "kind: 'Runner'")
      .replace("plural: 'agents'", "plural: 'runners'")
      .replace(/(name: `\$\{name\}-worker`,)/, "$1 onCollision: 'adopt-if-unowned',");
    const runner = await load(code);
    await engine.install([runner]);
    const before = await place.api.get(deployment, 'shop-worker');
    await place.api.create(runner, 'shop', { spec: { image: 'agent:1', replicas: 3 } });
    const { report } = await resyncOf(runner);
    expect(report.failures).toMatchObject([{ reason: 'ErrResourceExists' }]);

    await place.api.remove(kindAt(4), 'shop', 'Orphan');
    await engine.cluster.controllers.settled();
    expect((await resyncOf(runner)).report.failures).toHaveLength(1);
    const labels = { 'app.kubernetes.io/part-of': 'runner' };
    await place.api.patch(deployment, 'shop-worker', { metadata: { labels } });
    expect((await resyncOf(runner)).report.failures).toEqual([]);
    const { metadata, spec } = await place.api.get(deployment, 'shop-worker');
    expect(metadata.uid).toBe(before.metadata.uid);
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Runner', controller: true }]);
    expect(spec).toEqual(before.spec);
  });
});

describe('a field renamed in steps as on docs/upgrading.md:', () => {
  const replicas = async () => (await place.api.get(deployment, 'store-worker')).spec?.replicas;
  const stored = async () => (await place.api.get(kindAt(4), 'store')).spec;
  /** The fields that the stored resource would lose from one stage to another. */
  const lost = async (from: number, to: number) => {
    const resource = await place.api.get(kindAt(from), 'store');
    return lossesBetween(
      ...([from, to].map((at) => customResourceDefinition(kindAt(at))) as [object, object]),
    )
      .filter(({ concerns }) => concerns(resource as never))
      .map(({ text }) => text);
  };

  beforeAll(async () => {
    await engine.install([kindAt(4)]);
    await place.api.create(kindAt(4), 'store', { spec: { image: 'agent:1', replicas: 3 } });
    await resync(4);
  });

  test('both fields are read at first, and no child is written', async () => {
    expect(await lost(4, 7)).toEqual(['spec.replicas is dropped']);
    expect(await lost(4, 5)).toEqual([]);
    await engine.install([kindAt(5)]);
    expect((await resyncOf(kindAt(5))).written).toEqual([]);
    await place.api.patch(kindAt(5), 'store', { spec: { instances: 3, replicas: null } });
    await resync(5);
    expect(await replicas()).toBe(3);
    expect(await stored()).toEqual({ image: 'agent:1', instances: 3 });
  });

  test('then the old field is refused, and a resource that still has it keeps its children', async () => {
    await place.api.create(kindAt(5), 'late', { spec: { image: 'agent:1', replicas: 2 } });
    await resync(5);
    await engine.install([kindAt(6)]);
    await resync(6);
    const { status } = await place.api.get(kindAt(6), 'late');
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Stalled',
        reason: 'InvalidSpec',
        message: 'spec: replicas is now called instances',
      }),
    );
    expect((await place.api.get(deployment, 'late-worker')).spec?.replicas).toBe(2);
    await expect(place.api.patch(kindAt(6), 'store', { spec: { replicas: 1 } })).rejects.toThrow(
      /replicas is now called instances/,
    );
    await place.api.patch(kindAt(6), 'late', { spec: { instances: 2, replicas: null } });
    expect((await resync(6)).report.failures).toEqual([]);
  });

  test('at last it is removed without loss', async () => {
    expect(await lost(6, 7)).toEqual([]);
    await engine.install([kindAt(7)]);
    const { report, written } = await resync(7);
    expect(report.failures).toEqual([]);
    expect(written).toEqual([]);
    expect(await replicas()).toBe(3);
    expect((await place.api.get(deployment, 'late-worker')).spec?.replicas).toBe(2);
  });
});

test('a version is dropped as on docs/upgrading.md, and a resource that still names it gets no status', async () => {
  const last = stages[7] as Stage;
  const dropped = await load(last.code.replace(/ {2}versions: .*\n/, ''));
  expect(dropped.versions).toEqual([]);
  await engine.install([last.kind]);
  for (const name of ['moved', 'left'])
    await place.api.create(kindAt(0), name, { spec: { image: 'agent:1' } });
  const { metadata } = await place.api.get(last.kind, 'moved');
  const managedFields = metadata.managedFields?.map((one) => ({
    ...one,
    apiVersion: 'example.org/v1beta1',
  }));
  await place.api.patch(last.kind, 'moved', { metadata: { managedFields } });
  const definition = 'agents.example.org';
  const stored = { status: { storedVersions: ['v1beta1'] } };
  await engine.admin.patch(definitionType, definition, stored, { subresource: 'status' });
  await engine.install([dropped]);
  const { report } = await resyncOf(dropped);
  expect(report.failures).toMatchObject([
    { message: expect.stringMatching(/left .*an invalid group\/version: example.org\/v1alpha1/) },
  ]);
  const { status } = await place.api.get(dropped, 'moved');
  expect(status).toMatchObject({ observedGeneration: 1 });
});
