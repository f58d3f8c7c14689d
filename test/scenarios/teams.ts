/** Scenarios of a cluster-scoped kind, on either cluster. */

import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { install } from '../../infra/generate/install.ts';
import { parseConfig } from '../../shared/config/config.ts';
import { defineConfig } from '../../shared/config/define-config.ts';
import { deliverToClusters, resyncClusters } from '../../shared/controller/clusters.ts';
import type { AuditResult } from '../../shared/controller/deliver.ts';
import {
  createReconciler,
  credentialsOf,
  type Reconciler,
} from '../../shared/controller/reconciler.ts';
import { configMap, namespace, resourceQuota } from '../../shared/kinds/child-types/core.ts';
import { clusterRole, roleBinding } from '../../shared/kinds/child-types/small-groups.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import type { Report } from '../../shared/resync/report.ts';
import { team } from '../support/team.ts';
import { applyManifest, openApi } from './api.ts';
import { eventually } from './eventually.ts';
import {
  openTestCluster,
  reconciler,
  type TestCluster,
  type TestClusterName,
} from './test-cluster.ts';

const minute = 60_000;

/** Registers a test for each scenario, with its own Team and namespaces. */
export function runTeams(ground: TestClusterName): void {
  vi.setConfig({ testTimeout: 4 * minute, hookTimeout: 15 * minute });
  let cluster: TestCluster;
  let admin: Client;
  let engine: Reconciler;
  const heard: unknown[] = [];

  beforeAll(async () => {
    cluster = await openTestCluster(ground, (events) => void heard.push(...events));
    admin = createClient(cluster.admin);
    engine = openReconciler(cluster.env);
    const apply = (path: string, manifest: object) =>
      applyManifest(admin, path, manifest as JsonObject);
    await install(apply, { kinds: [team], user: reconciler, samples: false });
    await eventually(async () => {
      const { incomplete } = await resync();
      if (incomplete.length > 0) throw new Error(JSON.stringify(incomplete));
    }, minute);
  });
  afterAll(async () => {
    await engine?.close();
    await admin?.close();
    await cluster?.stop();
  });

  const api = (place?: string) => openApi(admin, place);
  const resync = async (name?: string): Promise<Report> =>
    (await resyncClusters([engine], name === undefined ? {} : { kind: 'Team', name })) as Report;
  const apply = (name: string, spec: JsonObject) => api().apply(team, name, { spec });
  const readyOf = async (name: string): Promise<string> => {
    const { status } = await api().get(team, name);
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    return `${ready?.status} ${ready?.reason}: ${ready?.message}`;
  };
  const card = (name: string, place: string) => api(place).find(configMap, `team-${name}`);
  const gone = (look: () => Promise<unknown>) =>
    eventually(async () => {
      if ((await look()) !== undefined) throw new Error('it is still there');
    }, 2 * minute);
  /** Delivers the audit entries of a namespace, once they include the deletion of this object. */
  const deliverDeletion = async (place: string, name: string): Promise<AuditResult> => {
    const items = await eventually(() => {
      const found = heard.filter((event) =>
        JSON.stringify(event).includes(`"namespace":"${place}"`),
      );
      const texts = found.map((event) => JSON.stringify(event));
      if (!texts.some((text) => text.includes('"verb":"delete"') && text.includes(`"${name}"`)))
        throw new Error(`${name} was not deleted in ${place}`);
      return found;
    });
    heard.length = 0;
    const body = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items };
    return (await deliverToClusters([engine], body, {})) as AuditResult;
  };

  test('a cluster-scoped resource has children in any namespace, its own included, and a second run writes nothing', async () => {
    await api().create(namespace, 'guest-red', {});
    await apply('red', { namespaces: ['red-1', 'red-2'], guestIn: ['guest-red'] });
    expect(await resync('red')).toMatchObject({ failures: [], outcomes: { created: 14 } });
    for (const place of ['red-1', 'red-2', 'guest-red'])
      expect(await card('red', place)).toBeDefined();
    await eventually(async () => {
      await resync('red');
      expect(await readyOf('red')).toMatch(/^True/);
    });
    const before = await api().get(team, 'red');
    expect(await resync('red')).toMatchObject({ statusWrites: 0, resources: { unchanged: 1 } });
    expect((await api().get(team, 'red')).metadata.resourceVersion).toBe(
      before.metadata.resourceVersion,
    );
  });

  test('drift of a cluster-scoped resource in one namespace is repaired there, by a resync and by an audit event', async () => {
    for (const place of ['blue-1', 'blue-2']) await api().create(namespace, place, {});
    await apply('blue', { guestIn: ['blue-1', 'blue-2'] });
    await resync('blue');
    await api('blue-1').patch(configMap, 'team-blue', { data: { team: 'theirs' } });
    expect(await resync('blue')).toMatchObject({ outcomes: { updated: 1 } });
    expect(await card('blue', 'blue-1')).toMatchObject({ data: { team: 'blue' } });
    const events = await api('default').list(eventType, {
      fieldSelector: 'involvedObject.kind=Team,involvedObject.name=blue,reason=Repaired',
    });
    expect(events).toMatchObject([
      {
        message: expect.stringContaining('ConfigMap blue-1/team-blue: data.team "theirs" → "blue"'),
      },
    ]);
    heard.length = 0;
    await api('blue-2').remove(configMap, 'team-blue');
    await api().remove(clusterRole, 'team-blue');
    expect(await deliverDeletion('blue-2', 'team-blue')).toMatchObject({
      reconcileRequests: [{ kind: 'teams.example.org', name: 'blue' }],
      report: { outcomes: { created: 2 } },
    });
    expect(await card('blue', 'blue-2')).toBeDefined();
  });

  test('unwanted children of a cluster-scoped resource are pruned, except its Namespaces', async () => {
    await api().create(namespace, 'guest-green', {});
    await apply('green', { namespaces: ['green-1'], guestIn: ['guest-green'] });
    await resync('green');
    await apply('green', { namespaces: [], guestIn: [] });
    await resync('green');
    expect(await card('green', 'guest-green')).toBeUndefined();
    expect(await api('green-1').find(roleBinding, 'team-green')).toBeUndefined();
    expect(await api().find(namespace, 'green-1')).toBeDefined();
    expect(await readyOf('green')).toMatch(
      /^False Retained: Namespace green-1 is no longer desired/,
    );
    await api().remove(namespace, 'green-1');
    await gone(() => api().find(namespace, 'green-1'));
    await resync('green');
    expect(await readyOf('green')).toMatch(/^True/);
  });

  test('a cluster-scoped resource waits for a namespace that is missing or being deleted', async () => {
    await apply('grey', { namespaces: ['grey-1'], guestIn: ['grey-2'] });
    await resync('grey');
    expect(await readyOf('grey')).toMatch(/^False NamespaceNotFound: .*"grey-2" not found/);
    await api().create(namespace, 'grey-2', {});
    await resync('grey');
    expect(await readyOf('grey')).toMatch(/^True/);
    for (const place of ['grey-1', 'grey-2']) {
      const held = { metadata: { finalizers: ['example.org/hold'] } };
      await api(place).create(configMap, 'held', held);
      await api().remove(namespace, place);
      await gone(() => card('grey', place));
    }
    await resync('grey');
    expect(await readyOf('grey')).toMatch(
      /^False ChildDeleting: Namespace grey-1 is being deleted; .*grey-2 because it is being terminated/,
    );
    const { status } = await api().get(team, 'grey');
    expect(status?.conditions?.map(({ type }) => type)).not.toContain('Stalled');
    for (const place of ['grey-1', 'grey-2']) {
      await api(place).patch(configMap, 'held', { metadata: { finalizers: null } });
      await gone(() => api().find(namespace, place));
    }
    await api().create(namespace, 'grey-2', {});
    await resync('grey');
    expect(await api('grey-1').find(resourceQuota, 'team-grey')).toBeDefined();
    expect(await readyOf('grey')).toMatch(/^True/);
  });

  test('the children of a cluster-scoped resource in all namespaces are deleted with it', async () => {
    await api().create(namespace, 'guest-black', {});
    await apply('black', { namespaces: ['black-1'], guestIn: ['guest-black'] });
    await resync('black');
    await api().remove(team, 'black');
    await gone(() => card('black', 'guest-black'));
    await gone(() => api().find(clusterRole, 'team-black'));
    await gone(() => api().find(namespace, 'black-1'));
    expect(await api().find(namespace, 'guest-black')).toBeDefined();
  });
}

function openReconciler(env: Readonly<Record<string, string>>): Reconciler {
  const config = parseConfig(defineConfig({ kinds: [team] }), { ...env, SETTLE_SECONDS: '0' });
  const [cluster] = config.clusters;
  if (cluster === undefined) throw new Error('no cluster is configured');
  const log = createLog(() => undefined, 'ERROR');
  return createReconciler({ ...config, cluster }, log, {
    credentials: () => credentialsOf({ ...config, cluster }, [env.KUBECONFIG ?? '']),
  });
}
