import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import { startControlPlane } from '@serverless-reconciler/local-cluster/control-plane';
import { install } from '../../infra/generate/install.ts';
import { connect } from '../../shared/cluster/http/connection.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import { engineUser, runner } from '../reconcile/engine.ts';
import { applyManifest, openApi } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';

/** A real control plane on which an engine in this process runs. */
export interface RealEngine {
  readonly client: Client;
  readonly run: ReturnType<typeof runner>;
  /** Applies the CRDs of kinds, and waits until they are served. */
  readonly install: (kinds: readonly Kind[]) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts a control plane, by default without controllers, and installs the kinds. */
export async function startRealEngine(
  kinds: readonly Kind[],
  { controllers = false }: { readonly controllers?: boolean } = {},
): Promise<RealEngine> {
  const plane = await startControlPlane({ controllers });
  const { url, ca, tokens } = plane;
  const client = createClient({ url, ca, token: tokens.admin });
  const apply = (path: string, manifest: object) =>
    applyManifest(client, path, manifest as JsonObject);
  const engine: RealEngine = {
    client,
    run: runner({
      connection: connect({
        server: url,
        access: async () => ({ tls: { ca }, authorization: `Bearer ${tokens.admin}` }),
      }),
      clock: () => new Date(),
      log: createLog(() => undefined, 'ERROR'),
    }),
    async install(given) {
      await install(apply, { kinds: given, user: engineUser, samples: false });
      for (const kind of given) await eventually(() => openApi(client).list(kind));
    },
    async stop() {
      await client.close();
      await plane.stop();
    },
  };
  await engine.install(kinds);
  return engine;
}
