import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import type { Target } from '@serverless-reconciler/local-cluster/client';
import { startControlPlane } from '@serverless-reconciler/local-cluster/control-plane';
import { createAuditWebhook } from '../../infra/start/audit-relay/webhook.ts';

export type TestClusterName = 'local' | 'real';

/** A test cluster, with access for the administrator and for the reconciler. */
export interface TestCluster {
  readonly admin: Target;
  /** Environment that connects a function to the cluster as the reconciler's user. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export const reconciler = 'serverless-reconciler@local';

/** Starts a cluster; `hear` receives the audit Events of every write. */
export const openTestCluster = (
  name: TestClusterName,
  hear: (events: readonly unknown[]) => void,
): Promise<TestCluster> => (name === 'local' ? openLocal(hear) : openReal(hear));

async function openLocal(hear: (events: readonly unknown[]) => void): Promise<TestCluster> {
  const token = randomUUID();
  const cluster = await startLocalCluster({
    tokens: { [token]: { username: reconciler } },
    onAudit: (event) => hear([event]),
    podsReadyAfterMs: 50,
  });
  const directory = await mkdtemp(join(tmpdir(), 'scenarios-'));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig(token), { mode: 0o600 });
  return {
    admin: { url: cluster.url },
    env: {
      KUBECONFIG: kubeconfig,
      CLUSTER_CONTEXT: 'local',
      OWN_IDENTITY: reconciler,
      SETTLE_SECONDS: '4',
    },
    async stop() {
      await cluster.stop();
      await rm(directory, { recursive: true });
    },
  };
}

async function openReal(hear: (events: readonly unknown[]) => void): Promise<TestCluster> {
  const webhook = createAuditWebhook(hear).listen(0, '127.0.0.1');
  await once(webhook, 'listening');
  const { port } = webhook.address() as AddressInfo;
  const closeWebhook = () => {
    webhook.close();
    webhook.closeAllConnections();
  };
  const { url, ca, kubeconfig, tokens, stop } = await startControlPlane({
    auditWebhook: `http://127.0.0.1:${port}/`,
  }).catch((error: unknown) => {
    closeWebhook();
    throw error;
  });
  return {
    admin: { url, ca, token: tokens.admin },
    env: { KUBECONFIG: kubeconfig, CLUSTER_CONTEXT: 'reconciler', OWN_IDENTITY: reconciler },
    async stop() {
      await stop();
      closeWebhook();
    },
  };
}
