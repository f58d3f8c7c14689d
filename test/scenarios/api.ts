import type { ApiRequest, Client } from '@serverless-reconciler/local-cluster/client';
import {
  apiVersionOf,
  type JsonObject,
  type KubeObject,
  type ResourceType,
  type Status,
} from '../../shared/kubernetes.ts';
import type { ResourceStatus } from '../../shared/plan/observed/recorded-status.ts';
import { patchTypes, RefusedError } from '../../testing/user.ts';

/** A live object, as scenarios read it. */
export interface Live extends KubeObject {
  readonly spec?: JsonObject;
  readonly status?: ResourceStatus;
}

/** Reports whether a resource is Ready and has no other condition, so that a run has nothing to report about it. */
export const isSettled = ({ status: { conditions = [] } = {} }: Live): boolean =>
  conditions.length === 1 && conditions[0]?.type === 'Ready' && conditions[0].status === 'True';

/** Builds the owner reference of an object that `live` controls. */
export const controllerOf = (live: Live): JsonObject => ({
  apiVersion: live.apiVersion,
  kind: live.kind,
  name: live.metadata.name,
  uid: live.metadata.uid,
  controller: true,
});

export interface Patch {
  /** Type of the patch; default: a merge patch. */
  readonly as?: keyof typeof patchTypes;
  readonly manager?: string;
  readonly subresource?: 'scale' | 'status';
}

/** Applies a manifest server-side as the administrator. */
export async function applyManifest(client: Client, path: string, manifest: JsonObject) {
  const { status, text } = await client.send({
    method: 'PATCH',
    path,
    query: { fieldManager: 'kubectl', force: 'true' },
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: manifest,
  });
  if (status >= 300) throw new Error(`cannot apply ${path}: ${status} ${text}`);
}

export type Api = ReturnType<typeof openApi>;

/** Opens the API as the administrator uses it with kubectl, for one namespace, or for cluster-wide types. */
export function openApi(client: Client, namespace?: string) {
  async function call(request: ApiRequest): Promise<Live> {
    const { status, body, text } = await client.send(request);
    if (status < 300) return body as Live;
    const failure = (body ?? { code: status, message: text }) as Status;
    throw new RefusedError(`${request.method} ${request.path}`, failure);
  }
  const collection = (type: ResourceType): string =>
    [
      type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`,
      ...(namespace === undefined ? [] : ['namespaces', namespace]),
      type.plural,
    ].join('/');
  const item = (type: ResourceType, name: string): string => `${collection(type)}/${name}`;
  const identified = (type: ResourceType, name: string, { metadata, ...rest }: JsonObject) => ({
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { ...(metadata as JsonObject | undefined), name },
    ...rest,
  });

  return {
    namespace,
    async find(type: ResourceType, name: string): Promise<Live | undefined> {
      const { items } = (await call({
        method: 'GET',
        path: collection(type),
        query: { fieldSelector: `metadata.name=${name}` },
      })) as unknown as { readonly items: readonly Live[] };
      return items[0];
    },
    get: (type: ResourceType, name: string) => call({ method: 'GET', path: item(type, name) }),
    async list(type: ResourceType, query: Readonly<Record<string, string>> = {}) {
      const found = await call({ method: 'GET', path: collection(type), query });
      return (found as unknown as { readonly items: readonly Live[] }).items;
    },
    create: (type: ResourceType, name: string, fields: JsonObject, manager = 'kubectl') =>
      call({
        method: 'POST',
        path: collection(type),
        query: { fieldManager: manager },
        body: identified(type, name, fields),
      }),
    dryRun: (type: ResourceType, name: string, fields: JsonObject) =>
      call({
        method: 'POST',
        path: collection(type),
        query: { dryRun: 'All' },
        body: identified(type, name, fields),
      }),
    apply: (type: ResourceType, name: string, fields: JsonObject, manager = 'kubectl') =>
      call({
        method: 'PATCH',
        path: item(type, name),
        query: { fieldManager: manager, force: 'true' },
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: identified(type, name, fields),
      }),
    applyStatus: (type: ResourceType, name: string, fields: JsonObject, manager: string) =>
      call({
        method: 'PATCH',
        path: `${item(type, name)}/status`,
        query: { fieldManager: manager, force: 'true' },
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: identified(type, name, fields),
      }),
    patch(type: ResourceType, name: string, body: unknown, how: Patch = {}) {
      const { as = 'merge', manager = 'kubectl-edit', subresource } = how;
      return call({
        method: 'PATCH',
        path: subresource === undefined ? item(type, name) : `${item(type, name)}/${subresource}`,
        query: { fieldManager: manager },
        headers: { 'content-type': patchTypes[as] },
        body,
      });
    },
    replace: (type: ResourceType, live: Live, manager = 'kubectl-edit') =>
      call({
        method: 'PUT',
        path: item(type, live.metadata.name),
        query: { fieldManager: manager },
        body: live,
      }),
    remove: (
      type: ResourceType,
      name: string,
      propagationPolicy: 'Background' | 'Foreground' | 'Orphan' = 'Background',
    ) => call({ method: 'DELETE', path: item(type, name), body: { propagationPolicy } }),
    removeAll: (type: ResourceType) => call({ method: 'DELETE', path: collection(type) }),
    /** Scales like `kubectl scale`. */
    scale(type: ResourceType, name: string, replicas: number) {
      return this.patch(
        type,
        name,
        { spec: { replicas } },
        { subresource: 'scale', manager: 'kubectl' },
      );
    },
  };
}

/** Returns the Status of a request that the server must refuse. */
export async function refusalOf(attempt: Promise<unknown>): Promise<Status> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof RefusedError) return error.status;
    throw error;
  }
  throw new Error('the server did not refuse the request');
}
