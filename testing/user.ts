import type { ApiRequest, Client } from '@serverless-reconciler/local-cluster/client';
import { isFields } from '../shared/json.ts';
import {
  apiVersionOf,
  type JsonObject,
  type KubeObject,
  type ResourceType,
  type Status,
} from '../shared/kubernetes.ts';
import type { Condition } from '../shared/plan/observed/conditions.ts';
import {
  requireManifest,
  requireName,
  requirePlace,
  requireThat,
  requireType,
} from './arguments.ts';
import { discovery, groupPath } from './discovery.ts';

/** An object as the API server returns it. */
export interface LiveObject extends KubeObject {
  readonly spec?: JsonObject;
  readonly status?: JsonObject & { readonly conditions?: readonly Condition[] };
}

/**
 * A manifest that a user applies. The default namespace is `default`; a cluster-scoped object has none. A `status` in
 * the manifest is applied, too, as if the object's controller wrote it.
 */
export interface AppliedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string } & JsonObject;
  readonly [field: string]: unknown;
}

/** The namespace of an object. */
export interface InNamespace {
  /** Default: `default`. */
  readonly namespace?: string;
}

/** Makes a list cover all namespaces. */
export const everywhere = { namespace: '' } as const;

/** Options of a patch. */
export interface PatchOptions extends InNamespace {
  /** Default: a merge patch. */
  readonly as?: 'merge' | 'json' | 'strategic';
  /** Default: `kubectl-edit`. */
  readonly manager?: string;
  readonly subresource?: 'status' | 'scale';
}

/** The error if the API server refuses a user's request. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: Status;

  constructor(what: string, status: Status) {
    super(`cannot ${what}: ${status.code} ${status.reason}: ${status.message}`);
    this.status = status;
  }
}

/** A user who may do everything, like a cluster administrator. */
export interface User {
  /** Applies server-side, like `kubectl apply --server-side --force-conflicts`. */
  readonly apply: (object: AppliedObject) => Promise<LiveObject>;
  /** Undefined if the object does not exist. */
  readonly get: (
    type: ResourceType,
    name: string,
    where?: InNamespace,
  ) => Promise<LiveObject | undefined>;
  readonly list: (
    type: ResourceType,
    where?: InNamespace & { readonly labelSelector?: string; readonly fieldSelector?: string },
  ) => Promise<readonly LiveObject[]>;
  readonly patch: (
    type: ResourceType,
    name: string,
    patch: { readonly body: unknown } & PatchOptions,
  ) => Promise<LiveObject>;
  /** Replaces an object by PUT. Refused if the object has changed since it was read. */
  readonly replace: (type: ResourceType, live: LiveObject) => Promise<LiveObject>;
  /** Deletes an object with background propagation: the garbage collector then deletes its children. */
  readonly delete: (type: ResourceType, name: string, where?: InNamespace) => Promise<void>;
}

export const patchTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

export function openUser(client: Client): User {
  const api: Api = { call: caller(client), discover: discovery(client) };
  return { ...readsOf(api), ...writesOf(api) };
}

interface Api {
  readonly call: (what: string, request: ApiRequest) => Promise<LiveObject>;
  readonly discover: ReturnType<typeof discovery>;
}

const collectionOf = async (
  { discover }: Api,
  type: Pick<ResourceType, 'group' | 'version' | 'plural'>,
  { namespace = 'default' }: InNamespace = {},
): Promise<string> => {
  const { namespaced } = await discover(type, ({ name }) => name === type.plural, type.plural);
  const scope = namespaced && namespace !== '' ? ['namespaces', namespace] : [];
  return [groupPath(type), ...scope, type.plural].join('/');
};

async function itemOf(
  api: Api,
  type: ResourceType,
  { name, where = {} }: { readonly name: string; readonly where?: InNamespace | undefined },
): Promise<string> {
  requireType(type);
  requireName(name);
  requirePlace(where);
  return `${await collectionOf(api, type, where)}/${name}`;
}

const readsOf = (api: Api): Pick<User, 'get' | 'list'> => ({
  async get(type, name, where) {
    const path = await itemOf(api, type, { name, where });
    try {
      return await api.call(`get ${type.kind} ${name}`, { method: 'GET', path });
    } catch (error) {
      if (error instanceof RefusedError && error.status.code === 404) return undefined;
      throw error;
    }
  },
  async list(type, where = {}) {
    requireType(type);
    requirePlace(where);
    const { namespace: _, ...query } = where;
    const path = await collectionOf(api, type, where);
    const found = await api.call(`list ${type.plural}`, { method: 'GET', path, query });
    const { items } = found as LiveObject & { readonly items: readonly LiveObject[] };
    return items.map((item) => ({ ...item, apiVersion: apiVersionOf(type), kind: type.kind }));
  },
});

const applierOf = (api: Api) =>
  async function apply(object: AppliedObject): Promise<LiveObject> {
    requireManifest('the object', object);
    const { apiVersion, kind, metadata, status } = object;
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    const { name: plural } = await api.discover(
      { group, version },
      (one) => one.kind === kind,
      kind,
    );
    const collection = await collectionOf(api, { group, version, plural }, metadata);
    const send = (subresource: string, body: unknown): Promise<LiveObject> =>
      api.call(`apply ${kind} ${metadata.name}`, {
        method: 'PATCH',
        path: `${collection}/${metadata.name}${subresource}`,
        query: { fieldManager: 'kubectl', force: 'true' },
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body,
      });
    const applied = await send('', object);
    // Does not apply a CRD's status: in files it is empty, and only the API server sets it.
    return status === undefined || kind === 'CustomResourceDefinition'
      ? applied
      : send('/status', { apiVersion, kind, metadata, status }).catch(ifNotServed(applied));
  };

/** Returns `applied` after a 404: without a status subresource, the first request has written the status, too. */
const ifNotServed =
  (applied: LiveObject) =>
  (error: unknown): LiveObject => {
    if (error instanceof RefusedError && error.status.code === 404) return applied;
    throw error;
  };

const writesOf = (api: Api): Omit<User, 'get' | 'list'> => ({
  apply: applierOf(api),
  async patch(type, name, patch) {
    const is = isFields(patch) && patch.body !== undefined;
    requireThat(is, ['patch', patch], 'an object with body: { body: { spec: … } }');
    const { body, as = 'merge', manager = 'kubectl-edit', ...where } = patch;
    const path = await itemOf(api, type, { name, where });
    return api.call(`patch ${type.kind} ${name}`, {
      method: 'PATCH',
      path: where.subresource === undefined ? path : `${path}/${where.subresource}`,
      query: { fieldManager: manager },
      headers: { 'content-type': patchTypes[as] },
      body,
    });
  },
  async replace(type, live) {
    requireManifest('the object', live);
    const { name, ...where } = live.metadata;
    const path = await itemOf(api, type, { name, where });
    return api.call(`replace ${type.kind} ${name}`, {
      method: 'PUT',
      path,
      query: { fieldManager: 'kubectl-edit' },
      body: live,
    });
  },
  async delete(type, name, where) {
    const path = await itemOf(api, type, { name, where });
    const body = { propagationPolicy: 'Background' };
    await api.call(`delete ${type.kind} ${name}`, { method: 'DELETE', path, body });
  },
});

const caller =
  (client: Client) =>
  async (what: string, request: ApiRequest): Promise<LiveObject> => {
    const { status, body, text } = await client.send(request);
    if (status < 300) return body as LiveObject;
    throw new RefusedError(what, (body ?? { code: status, message: text }) as Status);
  };
