import { serverSideApply } from '@serverless-reconciler/local-cluster/apply';
import { startInProcessCluster } from '@serverless-reconciler/local-cluster/in-process';
import { readBuiltInSchemas } from '@serverless-reconciler/local-cluster/schemas';
import { isInvalid, KubeError } from '../../shared/cluster/cluster-errors.ts';
import { item } from '../../shared/cluster/paths.ts';
import { namespace as namespaceType, secret } from '../../shared/kinds/child-types/core.ts';
import {
  apiVersionOf,
  isCustom,
  isSameType,
  type JsonObject,
  type KubeObject,
  type Manifest,
  type Status,
} from '../../shared/kubernetes.ts';
import type { AskServer } from '../../shared/recording/replayed-cluster.ts';

/**
 * Opens an embedded API server. Returns a function that sends applies and patches of recorded objects to this server,
 * as dry runs of the user `manager`. The server validates these requests as a real server would.
 *
 * Caveats: the server has no admission plugins. The function returns undefined for custom types, because their CRDs are
 * not recorded.
 */
export function openOfflineServer(manager: string): AskServer {
  const cluster = startInProcessCluster();
  // Stops the controllers, which would act on every restored object.
  cluster.stop();
  const names = new Set<string>();
  const makeNamespace = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    const about = { apiVersion: apiVersionOf(namespaceType), kind: namespaceType.kind };
    const path = item(namespaceType, { name }, 'restore');
    cluster.restore(path, { ...about, metadata: { name, uid: name }, status: { phase: 'Active' } });
  };
  const send = (path: string, sent: Manifest | readonly JsonObject[]): KubeObject => {
    const isApply = 'metadata' in sent;
    const { code, value } = cluster.send({
      user: manager,
      method: 'PATCH',
      path: `${path}?fieldManager=${manager}&dryRun=All${isApply ? '&force=true' : ''}`,
      contentType: isApply ? 'application/apply-patch+yaml' : 'application/json-patch+json',
      body: sent,
    });
    if (code >= 400) throw new KubeError(`ask about ${path}`, { code, status: value as Status });
    return value as KubeObject;
  };
  return (type, live, sent) => {
    const manifest = 'metadata' in sent ? sent : undefined;
    const about = live ?? manifest;
    if (about === undefined) return undefined;
    if (isSameType(type, secret)) return live && manifest && appliedTo(live, { manifest, manager });
    if (isCustom(type)) return undefined;
    const { namespace, name } = about.metadata;
    if (namespace !== undefined) makeNamespace(namespace);
    const path = item(type, { namespace, name }, 'ask');
    try {
      if (live !== undefined) cluster.restore(path, live as never);
      return asIf(send(path, live && manifest ? unlocked(manifest) : sent), live);
    } catch (error) {
      if (error instanceof KubeError && (isInvalid(error) || error.code === 500)) throw error;
      return undefined;
    } finally {
      if (live !== undefined) cluster.restore(path, undefined);
      cluster.requests.reset();
    }
  };
}

/** Removes the lock on a resourceVersion, because the restored object has another resourceVersion. */
function unlocked(manifest: Manifest): Manifest {
  const { resourceVersion: _, ...metadata } = manifest.metadata as JsonObject;
  return { ...manifest, metadata: metadata as Manifest['metadata'] };
}

const asIf = (result: KubeObject, live: KubeObject | undefined): KubeObject => ({
  ...result,
  metadata: {
    ...result.metadata,
    ...(live && { resourceVersion: live.metadata.resourceVersion }),
  },
});

const schemas = readBuiltInSchemas();

/** Returns a Secret as an apply would leave it. Does not ask the server, which would refuse the masked values. */
function appliedTo(
  live: KubeObject,
  { manifest, manager }: { readonly manifest: Manifest; readonly manager: string },
): KubeObject | undefined {
  const apiVersion = apiVersionOf(secret);
  const result = serverSideApply({
    source: schemas.schemaOf('', apiVersion, secret.kind),
    live,
    applied: manifest,
    manager,
    apiVersion,
    force: true,
    now: new Date(0).toISOString(),
  });
  return result.kind === 'merged' ? (result.object as unknown as KubeObject) : undefined;
}
