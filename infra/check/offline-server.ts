import { serverSideApply } from '@serverless-reconciler/local-cluster/apply';
import { startInProcessCluster } from '@serverless-reconciler/local-cluster/in-process';
import { readBuiltInSchemas } from '@serverless-reconciler/local-cluster/schemas';
import { collection, item } from '../../shared/cluster/paths.ts';
import { namespace as namespaceType, secret } from '../../shared/kinds/child-types/core.ts';
import {
  apiVersionOf,
  isSameType,
  type JsonObject,
  type KubeObject,
  type Manifest,
} from '../../shared/kubernetes.ts';
import type { ApplyOffline } from '../../shared/recording/replayed-cluster.ts';

/** Answers what an apply of one manager would make of an object. */
export interface OfflineServer {
  readonly apply: ApplyOffline;
  readonly stop: () => void;
}

/**
 * Opens an embedded API server that applies manifests of `manager` to recorded objects.
 *
 * Caveats: knows no admission and no custom types, so that an answer about these is undefined or may show too much.
 */
export function openOfflineServer(manager: string): OfflineServer {
  const cluster = startInProcessCluster();
  const send = (method: string, path: string, body: unknown): KubeObject | undefined => {
    const contentType = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json';
    const { code, value } = cluster.send({ user: manager, method, path, contentType, body });
    return code < 400 ? (value as KubeObject) : undefined;
  };
  const names = new Set<string>();
  const makeNamespace = (name: string | undefined): void => {
    if (name === undefined || names.has(name)) return;
    names.add(name);
    const about = { apiVersion: apiVersionOf(namespaceType), kind: namespaceType.kind };
    send('POST', collection(namespaceType, undefined), { ...about, metadata: { name } });
  };
  return {
    apply(type, live, manifest) {
      if (isSameType(type, secret)) return appliedTo(live, { manifest, manager });
      const { namespace = '', name } = live.metadata;
      makeNamespace(live.metadata.namespace);
      const key = { namespace, name };
      const path = item(type, key, 'apply');
      try {
        const stored = send(
          'POST',
          `${collection(type, namespace)}?fieldManager=${recorder}`,
          anew(live),
        );
        if (stored === undefined) return undefined;
        const { uid, resourceVersion } = stored.metadata;
        const body = { ...manifest, metadata: { ...manifest.metadata, uid, resourceVersion } };
        const answer = send('PATCH', `${path}?fieldManager=${manager}&force=true`, body);
        return answer && asIf(answer, { live, stored });
      } finally {
        send('DELETE', path, undefined);
      }
    },
    stop: cluster.stop,
  };
}

/** Field manager of the recorded fields that have no manager. */
const recorder = 'recorder';

const schemas = readBuiltInSchemas();

/** Applies to a Secret without the server, which would refuse masked values. */
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

/** Returns the object without the fields that the server sets at its creation. */
function anew({ metadata, status: _, ...content }: KubeObject & JsonObject): JsonObject {
  const { name, namespace, labels, annotations, ownerReferences, managedFields } = metadata;
  return {
    ...content,
    metadata: { name, namespace, labels, annotations, ownerReferences, managedFields } as never,
  };
}

/** Returns the answer with the identity, the generation and the status of the recorded object. */
function asIf(
  answer: KubeObject & JsonObject,
  { live, stored }: { readonly live: KubeObject & JsonObject; readonly stored: KubeObject },
): KubeObject {
  const { uid, resourceVersion, creationTimestamp, generation = 0 } = live.metadata;
  const isEdited = answer.metadata.generation !== stored.metadata.generation;
  const own = {
    uid,
    resourceVersion,
    creationTimestamp,
    generation: generation + Number(isEdited),
  };
  const { status } = live;
  const managedFields = answer.metadata.managedFields?.filter((one) => one.manager !== recorder);
  const metadata = { ...answer.metadata, ...own, managedFields };
  return { ...answer, metadata, ...(status && { status }) } as never;
}
