import { writeFile } from 'node:fs/promises';
import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { child, defineKind, deployment, labelValue, Type } from '../../index.ts';
import { install } from '../../infra/generate/install.ts';
import { parseConfig } from '../../shared/config/config.ts';
import { defineConfig } from '../../shared/config/define-config.ts';
import {
  createReconciler,
  credentialsOf,
  type Reconciler,
} from '../../shared/controller/reconciler.ts';
import { resyncOrFanOut } from '../../shared/controller/scheduled-resync.ts';
import { pod } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import type { Report } from '../../shared/resync/report.ts';
import { imageOf } from '../properties/rollout-fleet.ts';
import { applyManifest, type Live, openApi } from '../scenarios/api.ts';
import { namespaceType } from '../scenarios/built-in-kinds.ts';
import { eventually } from '../scenarios/eventually.ts';
import { openTestCluster, reconciler, type TestCluster } from '../scenarios/test-cluster.ts';
import { type PlottedResync, rolloutPlot } from './rollout-plot.ts';

const minute = 60_000;
const namespaces = ['north', 'east', 'south', 'west'];
const names = Array.from({ length: 50 }, (_, at) => `shop-${at}`);
const count = namespaces.length * names.length;
/** The default, 10 %. */
const budget = 20;
const timeoutSeconds = 60;

interface Version {
  readonly image: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** True if its pods are not scheduled until the test removes their gates. */
  readonly gated?: true;
}
const first: Version = { image: 'shop:1' };
const labelled: Version = { ...first, labels: { tier: 'web' } };
const second: Version = { ...labelled, image: 'shop:2', gated: true };
/** A version whose gates are never removed. */
const broken: Version = { ...second, image: 'shop:3' };

const kindOf = ({ image, labels, gated }: Version) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Shop',
    plural: 'shops',
    spec: Type.Object({}),
    samples: [],
    owns: [deployment],
    children({ name }) {
      const own = { shop: labelValue(name) };
      const gates = gated && { schedulingGates: [{ name: 'example.org/late' }] };
      const template = {
        metadata: { labels: own },
        spec: { containers: [{ name: 'web', image }], ...gates },
      };
      // The old pod ends first, so a changing Deployment is unavailable.
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
      const body = { spec: { replicas: 1, selector: { matchLabels: own }, strategy, template } };
      return [child(deployment, { name, body, ...(labels && { labels }) })];
    },
  });
const kind = kindOf(first);

let cluster: TestCluster;
let admin: Client;
const reconcilers: Reconciler[] = [];
/** Log lines with severity ERROR. */
const errors: string[] = [];
/** Resyncs of disruptive versions, drawn to the file ROLLOUT_PLOT if that is set. */
const plotted: PlottedResync[] = [];
/** Offset of the clock of the runs, in ms. */
let ahead = 0;

beforeAll(async () => {
  cluster = await openTestCluster('real', () => undefined);
  admin = createClient(cluster.admin);
  const apply = (path: string, manifest: object) =>
    applyManifest(admin, path, manifest as JsonObject);
  await install(apply, { kinds: [kind], user: reconciler, samples: false });
  const run = deploy(first);
  await eventually(async () => {
    const { incomplete } = (await run()).report;
    if (incomplete.length > 0) throw new Error(JSON.stringify(incomplete));
  });
  errors.length = 0;
  for (const namespace of namespaces) {
    await openApi(admin).create(namespaceType, namespace, {});
    const api = openApi(admin, namespace);
    await Promise.all(names.map((name) => api.create(kind, name, { spec: {} })));
  }
  await run();
  await eventually(async () => {
    const up = (await deployments()).filter(isUp).length;
    if (up < count) throw new Error(`${up} of ${count} Deployments are up`);
  }, 3 * minute);
  const { report: _, ...seen } = await run();
  expect(seen).toEqual({ changed: count, notUp: 0, ready: count, marks: {} });
});

afterAll(async () => {
  const { ROLLOUT_PLOT } = process.env;
  if (ROLLOUT_PLOT !== undefined) await writeFile(ROLLOUT_PLOT, rolloutPlot(plotted, budget));
  for (const one of reconcilers) await one.close();
  await admin?.close();
  await cluster?.stop();
});

const deployments = () => openApi(admin).list(deployment);
const keyOf = ({ metadata }: Live): string => `${metadata.namespace}/${metadata.name}`;
/** Returns the generation of each Deployment. */
const generations = async () =>
  new Map((await deployments()).map((one) => [keyOf(one), one.metadata.generation]));
const isUp = ({ metadata, status = {} }: Live): boolean =>
  status.observedGeneration === metadata.generation &&
  status.replicas === 1 &&
  status.updatedReplicas === 1 &&
  status.availableReplicas === 1;

/** Returns the pods that are not being deleted, by Deployment. */
async function pods(): Promise<ReadonlyMap<string, Live>> {
  const found = await openApi(admin).list(pod, { labelSelector: 'shop' });
  return new Map(
    found
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((one) => [`${one.metadata.namespace}/${one.metadata.labels?.shop}`, one]),
  );
}

/** Lists the Deployments whose pod has been replaced. */
async function restarted(before: ReadonlyMap<string, Live>): Promise<readonly string[]> {
  const now = await pods();
  return [...before]
    .filter(([key, { metadata }]) => now.get(key)?.metadata.uid !== metadata.uid)
    .map(([key]) => key);
}

/** Removes the gates of all pods, and waits until all Deployments are up. */
const becomeReady = () =>
  eventually(async () => {
    for (const { metadata, spec } of (await pods()).values())
      if (spec?.schedulingGates !== undefined)
        await openApi(admin, metadata.namespace).patch(pod, metadata.name, {
          spec: { schedulingGates: null },
        });
    const down = (await deployments()).filter((one) => !isUp(one));
    if (down.length > 0) throw new Error(`${down.length} Deployments are not up`);
  });

interface Seen {
  readonly report: Report;
  /** Number of Deployments with the image of the version. */
  readonly changed: number;
  /** Number of Deployments that are unavailable, or whose controller has not observed the generation. */
  readonly notUp: number;
  readonly ready: number;
  /** Number of resources by reason of the condition RolloutPending. */
  readonly marks: Readonly<Record<string, number>>;
}

/** Deploys a version. Each call of the result resyncs with it and prints a line; a named phase is drawn. */
function deploy(version: Version, phase?: string): () => Promise<Seen> {
  const env = {
    ...cluster.env,
    SETTLE_SECONDS: '0',
    ROLLOUT_TIMEOUT_SECONDS: String(timeoutSeconds),
  };
  const config = parseConfig(defineConfig({ kinds: [kindOf(version)] }), env);
  const [target] = config.clusters;
  const log = createLog((line) => errors.push(line), 'ERROR');
  // The summary of a run would be logged at any level.
  const errorsOnly = { ...log, summary: () => undefined };
  const own = createReconciler({ ...config, cluster: target! }, errorsOnly, {
    credentials: () =>
      credentialsOf({ ...config, cluster: target! }, [cluster.env.KUBECONFIG ?? '']),
    now: () => new Date(Date.now() + ahead),
  });
  reconcilers.push(own);
  let resyncs = 0;
  return async () => {
    const report = (await resyncOrFanOut(own, {})) as Report;
    const seen = { report, ...(await look(version)) };
    if (phase !== undefined) plotted.push({ phase, unavailable: seen.notUp });
    const {
      Waiting = 0,
      Starting = 0,
      RollingOut = 0,
      RolloutHalted = 0,
      RolledOut = 0,
    } = seen.marks;
    console.log(
      `${version.image} resync ${++resyncs}: ${Waiting} waiting, ${Starting + RollingOut} under way, ` +
        `${RolloutHalted} failed, ${RolledOut} done; ${seen.notUp} not up; ${report.durationMs} ms`,
    );
    return seen;
  };
}

async function look({ image }: Version): Promise<Omit<Seen, 'report'>> {
  const live = await deployments();
  const resources = await openApi(admin).list(kind);
  const conditions = resources.flatMap(({ status }) => status?.conditions ?? []);
  const marks: Record<string, number> = {};
  for (const { type, reason } of conditions)
    if (type === 'RolloutPending') marks[reason] = (marks[reason] ?? 0) + 1;
  return {
    changed: live.filter((one) => imageOf(one) === image).length,
    notUp: live.filter((one) => !isUp(one)).length,
    ready: conditions.filter(({ type, status }) => type === 'Ready' && status === 'True').length,
    marks,
  };
}

// Each test continues from the state after the previous one.

test('a change of the code that disrupts nothing reaches all resources in one resync', async () => {
  const before = await pods();
  const run = deploy(labelled);
  const { report, marks } = await run();
  expect(report).toMatchObject({ outcomes: { updated: count, failed: 0 }, failures: [] });
  expect(marks).toEqual({});
  expect(await openApi(admin).list(deployment, { labelSelector: 'tier=web' })).toHaveLength(count);
  // An annotation changes the generation of a Deployment, which its controller has to observe.
  await becomeReady();
  const { report: _, ...seen } = await run();
  expect(seen).toEqual({ changed: count, notUp: 0, ready: count, marks: {} });
  expect(await restarted(before)).toEqual([]);
});

test(
  'a disruptive change is rolled out in waves of 10 %, the first of one resource, even if a wave is late',
  async () => {
    const before = await generations();
    const run = deploy(second, 'new version');
    const waves: number[] = [];
    let changed = 0;
    let resyncs = 0;
    for (let done = 0; done < count; resyncs++) {
      expect(resyncs).toBeLessThan(30);
      const seen = await run();
      expect(seen.notUp).toBeLessThanOrEqual(budget);
      const begun = seen.changed - changed;
      if (begun > 0) waves.push(begun);
      changed = seen.changed;
      done = seen.marks.RolledOut ?? 0;
      // The resync after the second wave finds none of its resources ready.
      const isLate = begun > 0 && waves.length === 2;
      if (!isLate) await becomeReady();
    }
    console.log(`${count} resources in ${resyncs} resyncs, waves of ${waves.join(', ')}`);
    expect(waves).toEqual([1, ...Array.from({ length: 9 }, () => budget), 19]);
    const once = [...before].map(([key, generation = 0]) => [key, generation + 1] as const);
    expect(await generations()).toEqual(new Map(once));
    expect(errors).toEqual([]);
  },
  5 * minute,
);

test(
  'a broken version halts after the first wave, and the previous version reverts its changes',
  async () => {
    const before = await pods();
    const run = deploy(broken, 'broken: halts');
    for (let resyncs = 0; resyncs < 2; resyncs++)
      expect(await run()).toMatchObject({
        changed: 1,
        notUp: 1,
        marks: { RollingOut: 1, Waiting: count - 1 },
      });
    const failed = (await deployments()).filter((one) => imageOf(one) === broken.image).map(keyOf);
    expect(errors).toEqual([]);

    ahead += (timeoutSeconds + 5) * 1000;
    for (let resyncs = 1; resyncs <= 3; resyncs++) {
      expect(await run()).toMatchObject({
        changed: 1,
        notUp: 1,
        marks: { RolloutHalted: 1, Waiting: count - 1 },
      });
      // Each resync logs one line.
      expect(errors.filter((line) => line.includes('"rollout halted"'))).toHaveLength(resyncs);
    }
    const halts = { fieldSelector: 'reason=RolloutHalted' };
    const events = await openApi(admin).list(eventType, halts);
    expect(events.map(({ metadata }) => metadata.namespace)).toEqual([failed[0]?.split('/')[0]]);
    expect(await restarted(before)).toEqual(failed);

    const undo = deploy(second, 'undone');
    const { changed, marks } = await undo();
    expect({ changed, marks }).toEqual({ changed: count, marks: { RollingOut: 1 } });
    await becomeReady();
    const { report: _, ...seen } = await undo();
    expect(seen).toEqual({ changed: count, notUp: 0, ready: count, marks: { RolledOut: 1 } });
    expect((await undo()).report).toMatchObject({ statusWrites: 0, outcomes: { updated: 0 } });
    expect(await restarted(before)).toEqual(failed);
    expect(await openApi(admin).list(eventType, halts)).toHaveLength(1);
  },
  3 * minute,
);
