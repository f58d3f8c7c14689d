import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installation } from '../../infra/generate/install.ts';
import { rbacFor } from '../../infra/generate/rbac.ts';
import { roleBinding } from '../../shared/kinds/child-types/small-groups.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { type Output, runAlone } from '../cli/command-runner.ts';
import { clusterRoleBindings, clusterRoles } from '../cli/doctor-installation.ts';
import { tenant } from '../support/tenant.ts';
import { type Api, applyManifest, openApi } from './api.ts';
import { namespaceType } from './built-in-kinds.ts';
import { eventually } from './eventually.ts';
import { openTestCluster, reconciler, type TestClusterName } from './test-cluster.ts';

const name = 'serverless-reconciler';
const place = 'team-a';
const minute = 60_000;

/** Reconciles a kind that grants permissions, as a user who has exactly the generated ones. */
export function runGrants(on: TestClusterName): void {
  let home: string;
  let admin: Api;
  let inPlace: Api;
  let apply: (path: string, manifest: JsonObject) => Promise<void>;
  let run: (argv: readonly string[], env?: Record<string, string>) => Promise<Output>;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'grants-'));
    const cluster = await openTestCluster(on, () => undefined);
    const client = createClient(cluster.admin);
    apply = (path, manifest) => applyManifest(client, path, manifest);
    [admin, inPlace] = [openApi(client), openApi(client, place)];
    const context = cluster.env.CLUSTER_CONTEXT ?? '';
    run = (argv, env = {}) =>
      runAlone([...argv, '--context', context], {
        env: { ...cluster.env, SETTLE_SECONDS: '0', ...env },
        home,
        kinds: [tenant],
      });
    stop = async () => {
      await client.close();
      await cluster.stop();
    };
    const user = { name, kinds: [tenant], user: reconciler, samples: false };
    for (const { path, manifest } of installation(user)) await apply(path, manifest as JsonObject);
    await admin.create(namespaceType, place, {});
  }, 900_000);
  afterAll(async () => {
    await stop?.();
    await rm(home, { recursive: true });
  });

  const resync = async (env?: Record<string, string>) => {
    const { out } = await run(['resync', '-o', 'json'], env);
    return JSON.parse(out) as {
      readonly failures: readonly { readonly reason: string; readonly message: string }[];
      readonly incomplete: readonly object[];
    };
  };
  const bindingsOf = async (resource: string) =>
    (await inPlace.list(roleBinding))
      .map(({ metadata }) => metadata.name)
      .filter((one) => one.startsWith(`${resource}-`))
      .toSorted();
  const whole = (resource: string) => ['admin', 'keys', 'view'].map((to) => `${resource}-${to}`);

  describe('a kind that grants permissions', () => {
    it('is reconciled with exactly the generated permissions, also under another name', async () => {
      for (const one of ['red', 'blue'])
        await inPlace.create(tenant, one, { spec: { admin: 'jane' } });
      await eventually(async () => {
        const { failures, incomplete } = await resync();
        if (failures.length + incomplete.length > 0)
          throw new Error(JSON.stringify([failures, incomplete]));
      }, minute);
      expect(await bindingsOf('red')).toEqual(whole('red'));
      expect(await bindingsOf('blue')).toEqual(whole('blue'));
      expect(await run(['doctor'])).toMatchObject({ code: 0 });
    });

    it('is Stalled without the permission bind, and the condition and doctor name the remedy', async () => {
      const role = await admin.get(clusterRoles, name);
      const rules = (role.rules as { readonly resourceNames?: readonly string[] }[]).filter(
        (rule) => !rule.resourceNames?.includes('admin'),
      );
      await admin.replace(clusterRoles, { ...role, rules } as never);
      await inPlace.create(tenant, 'late', { spec: { admin: 'jane' } });
      // The embedded cluster has no ClusterRole admin.
      if (on === 'local') await admin.create(clusterRoles, 'admin', { rules: adminRules } as never);
      await eventually(async () => {
        const doctor = await run(['doctor']);
        expect(doctor.out).toContain('clusterroles.rbac.authorization.k8s.io admin: bind');
        expect(doctor.code).toBe(1);
      }, minute);
      const { failures } = await resync();
      expect(failures).toMatchObject([{ reason: 'Forbidden' }]);
      const { status } = await inPlace.get(tenant, 'late');
      const { message = '' } =
        status?.conditions?.find(({ type }) => type === 'Stalled') ?? ({} as { message?: string });
      expect(message).toMatch(
        /not currently held:.*: if a permission is missing, add a sample whose child needs it and apply what `reconciler generate rbac` prints$/s,
      );
      expect(message.length).toBeLessThan(520);
      expect(await bindingsOf('late')).toEqual(['late-keys', 'late-view']);
    });

    it('is reconciled with the Role that is generated for its namespace', async () => {
      await admin.remove(clusterRoleBindings, name);
      const grant = { name, user: reconciler, namespaces: [place] };
      for (const manifest of rbacFor([tenant], grant)) {
        const { namespace } = manifest.metadata;
        const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
        const plural = `${manifest.kind.toLowerCase()}s`;
        await apply(`/apis/rbac.authorization.k8s.io/v1${within}/${plural}/${name}`, manifest);
      }
      const env = { NAMESPACES: place };
      await eventually(async () => {
        const { failures, incomplete } = await resync(env);
        if (failures.length + incomplete.length > 0)
          throw new Error(JSON.stringify([failures, incomplete]));
      }, minute);
      expect(await bindingsOf('late')).toEqual(whole('late'));
      expect(await run(['doctor'], env)).toMatchObject({ code: 0 });
    });
  });
}

const adminRules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'delete'] }];
