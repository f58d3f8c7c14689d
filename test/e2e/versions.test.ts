import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { install } from '../../infra/generate/install.ts';
import { readRecording } from '../../infra/recordings/recording-file.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import { childTypesOf } from '../../shared/kinds/kind.ts';
import {
  groupResource,
  type JsonObject,
  type KubeObject,
  type ManagedFieldsEntry,
  type ResourceType,
} from '../../shared/kubernetes.ts';
import { type Output, runAlone } from '../cli/command-runner.ts';
import { applyManifest, openApi } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';
import { openTestCluster, reconciler } from '../scenarios/test-cluster.ts';
import { kinds } from '../support/config.ts';

const minute = 60_000;
const { KUBERNETES_VERSION: newer = '' } = process.env;
/** Version to upgrade from, such as `UPGRADE_FROM=1.34`; default: the same, because each version has to be built. */
const { UPGRADE_FROM: older = newer } = process.env;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'versions-'));
});
afterAll(() => rm(directory, { recursive: true }));

interface Ground {
  readonly admin: Client;
  readonly run: (...argv: readonly string[]) => Promise<Output>;
}

/** Runs `act` on a control plane of a version with the CRDs of the five kinds. */
async function onVersion<T>(version: string, act: (ground: Ground) => Promise<T>): Promise<T> {
  vi.stubEnv('KUBERNETES_VERSION', version);
  const cluster = await openTestCluster('real', () => undefined).finally(() => vi.unstubAllEnvs());
  const admin = createClient(cluster.admin);
  try {
    const env = { ...cluster.env, AUTH_URL: 'http://auth.example.com/check' };
    await install((path, manifest) => applyManifest(admin, path, manifest as JsonObject), {
      kinds,
      user: reconciler,
      samples: false,
    });
    const run: Ground['run'] = (...argv) =>
      runAlone([...argv, '--context', 'reconciler'], { env, home: directory });
    await eventually(async () => {
      const { code, err } = await run('plan');
      if (code !== 0) throw new Error(err);
    }, minute);
    return await act({ admin, run });
  } finally {
    await admin.close();
    await cluster.stop();
  }
}

const actionsOf = (preview: {
  readonly resources: readonly { readonly actions: readonly object[] }[];
}) => preview.resources.flatMap(({ actions }) => actions);

/** Records a run with nothing to do after all samples are in place; returns the Secrets. */
const recordAtRest = (file: string) =>
  onVersion(older, async ({ admin, run }) => {
    await install((path, manifest) => applyManifest(admin, path, manifest as JsonObject), {
      kinds,
      user: reconciler,
      samples: true,
    });
    await eventually(async () => {
      await run('resync');
      const { code, out } = await run('plan', '--exit-code');
      if (code !== 0) throw new Error(out);
    }, 2 * minute);
    const { code, err } = await run('resync', '--record', file);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Recorded in') });
    // The recording does not contain their values.
    return openApi(admin, 'default').list(secret);
  });

/** Restores an object as etcd would contain it after an upgrade, but with the new uids of its owners. */
async function restore(
  admin: Client,
  type: ResourceType,
  { metadata, status: _, ...content }: KubeObject,
): Promise<string> {
  const { name, namespace, labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  const api = openApi(admin, namespace);
  const made = await api.create(type, name, {
    ...content,
    metadata: { labels, annotations, ownerReferences },
  });
  const managedFields = (metadata.managedFields ?? []).filter(
    ({ subresource }: ManagedFieldsEntry) => subresource !== 'status',
  );
  const operations = [{ op: 'add', path: '/metadata/managedFields', value: managedFields }];
  await api.patch(type, name, operations, { as: 'json' });
  return made.metadata.uid;
}

test('objects stored by one version of Kubernetes show no drift on the newest', {
  timeout: 15 * minute,
}, async () => {
  const file = join(directory, 'older.jsonl');
  const secrets = await recordAtRest(file);
  const { header, requests } = readRecording(file);
  expect(header.server).toMatch(new RegExp(`^v${older}`));
  const replayed = await runAlone(['replay', file, '-o', 'json'], { home: directory });
  expect(replayed.code).toBe(0);
  expect(actionsOf({ resources: JSON.parse(replayed.out).recordings[0].decided })).toEqual([]);

  const listed = (type: ResourceType): readonly KubeObject[] =>
    requests.flatMap((line) =>
      line.line === 'read' && 'items' in line && line.type === groupResource(type)
        ? line.items
        : [],
    );
  await onVersion(newer, async ({ admin, run }) => {
    const uids = new Map<string, string>();
    for (const kind of kinds)
      for (const live of listed(kind))
        uids.set(live.metadata.uid, await restore(admin, kind, live));
    expect(uids.size).toBeGreaterThanOrEqual(kinds.length);
    const renamed = (live: KubeObject): KubeObject =>
      JSON.parse(
        [...uids].reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(live)),
      );
    let children = 0;
    for (const type of childTypesOf(kinds))
      for (const live of listed(type)) {
        const whole = secrets.find(({ metadata }) => metadata.uid === live.metadata.uid) ?? live;
        await restore(
          admin,
          type,
          renamed({ ...whole, apiVersion: live.apiVersion, kind: live.kind }),
        );
        children++;
      }
    expect(children).toBeGreaterThan(10);
    const plan = JSON.parse((await run('plan', '-o', 'json')).out);
    expect(plan.preview.total).toBe(uids.size);
    expect(actionsOf(plan.preview)).toEqual([]);
    const { outcomes } = JSON.parse((await run('resync', '-o', 'json')).out);
    expect(outcomes).toMatchObject({ created: 0, updated: 0, deleted: 0, failed: 0, blocked: 0 });
    await openApi(admin, 'default').patch(deployment, 'website-sample', { spec: { replicas: 5 } });
    const drifted = JSON.parse((await run('plan', '-o', 'json')).out);
    expect(actionsOf(drifted.preview)).toMatchObject([{ verb: 'update', origin: 'drift' }]);
  });
});
