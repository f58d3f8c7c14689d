import {
  apiVersionOf,
  groupResource,
  type KubeObject,
  type ObjectMeta,
  type ResourceType,
} from '../kubernetes.ts';
import type { Cluster, Key, Selection } from './cluster.ts';
import type { Connection } from './connection.ts';
import { isInvalid, isNotFound, KubeError } from './errors.ts';
import { openSender, type RunLimits, type Sender } from './sender.ts';

const pageSize = 500;

/** The cluster port over HTTP, for one run. */
export function openCluster(connection: Connection, limits: RunLimits): Cluster {
  const { send, traffic } = openSender(connection, limits);
  return { traffic, ...reads(send), ...writes(send) };
}

const reads = (send: Sender['send']): Pick<Cluster, 'list' | 'get' | 'getMetadata'> => ({
  async list(type, selection, each) {
    let token = '';
    do {
      const path = `${collection(type, selection.namespace)}?${listQuery(selection, token)}`;
      const what = `list ${groupResource(type)}`;
      const page = await send<List>(type, { method: 'GET', path, what });
      for (const live of page.items) {
        each({ ...live, apiVersion: apiVersionOf(type), kind: type.kind });
      }
      token = page.metadata.continue ?? '';
    } while (token !== '');
  },
  get: (type, key) =>
    orAbsent(
      send(type, { method: 'GET', path: item(type, key), what: `read ${nameOf(type, key)}` }),
    ),
  async getMetadata(type, key) {
    const what = `read the metadata of ${nameOf(type, key)}`;
    const live = await orAbsent(
      send(type, { method: 'GET', path: item(type, key), accept: metadataOnly, what }),
    );
    return live?.metadata as ObjectMeta | undefined;
  },
});

const writes = (send: Sender['send']): Pick<Cluster, 'apply' | 'create' | 'patch' | 'remove'> => ({
  apply(type, manifest, { manager, subresource }) {
    const { metadata } = manifest;
    const path = `${item(type, metadata)}${under(subresource)}?fieldManager=${manager}&force=true`;
    const what = `apply ${nameOf(type, metadata)}${subresource === undefined ? '' : ` ${subresource}`}`;
    return send(type, {
      method: 'PATCH',
      path,
      body: manifest,
      contentType: 'application/apply-patch+yaml',
      what,
    });
  },
  create(type, manifest) {
    const path = collection(type, manifest.metadata.namespace);
    const what = `create ${nameOf(type, manifest.metadata)}`;
    return send(type, {
      method: 'POST',
      path,
      body: manifest,
      contentType: 'application/json',
      what,
    });
  },
  patch(type, key, { resourceVersion, operations, manager, subresource }) {
    const lock = { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion };
    const path = `${item(type, key)}${under(subresource)}?fieldManager=${manager}`;
    const what = `patch ${nameOf(type, key)}`;
    const patched = send(type, {
      method: 'PATCH',
      path,
      body: [lock, ...operations],
      contentType: 'application/json-patch+json',
      what,
    });
    return patched.catch(async (error: unknown) => {
      // The server answers a version that moved as it answers a bad value: 422.
      if (!isInvalid(error) && !isNotFound(error)) throw error;
      const now = await orAbsent(send(type, { method: 'GET', path: item(type, key), what }));
      if (now?.metadata.resourceVersion === resourceVersion) throw error;
      const status = { reason: 'Conflict', message: 'it changed meanwhile' };
      throw new KubeError(what, { code: 409, status });
    });
  },
  async remove(type, key, preconditions) {
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions,
      propagationPolicy: 'Background',
    };
    const what = `delete ${nameOf(type, key)}`;
    const answer = await orAbsent(
      send(type, {
        method: 'DELETE',
        path: item(type, key),
        body,
        contentType: 'application/json',
        what,
      }),
    );
    // A Status, or for some kinds (Service, Secret) the object as it last was: gone, unless marked.
    return answer?.metadata?.deletionTimestamp === undefined ? undefined : answer;
  },
});

interface List {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly KubeObject[];
}

const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

const collection = (
  { group, version, plural }: ResourceType,
  namespace: string | undefined,
): string =>
  [
    group === '' ? `/api/${version}` : `/apis/${group}/${version}`,
    ...(namespace === undefined ? [] : ['namespaces', encodeURIComponent(namespace)]),
    plural,
  ].join('/');

const item = (type: ResourceType, { namespace, name }: Key): string =>
  `${collection(type, namespace)}/${encodeURIComponent(name)}`;

const under = (subresource: string | undefined): string =>
  subresource === undefined ? '' : `/${subresource}`;

const nameOf = ({ kind }: ResourceType, { namespace, name }: Key): string =>
  `${kind} ${namespace}/${name}`;

function listQuery({ name, labels = {}, fields = {} }: Selection, token: string): string {
  const fieldSelector = Object.entries({
    ...fields,
    ...(name === undefined ? {} : { 'metadata.name': name }),
  });
  const query = new URLSearchParams({ limit: String(pageSize) });
  if (Object.keys(labels).length > 0) query.set('labelSelector', selector(Object.entries(labels)));
  if (fieldSelector.length > 0) query.set('fieldSelector', selector(fieldSelector));
  if (token !== '') query.set('continue', token);
  return query.toString();
}

const selector = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([name, value]) => `${name}=${value}`).join(',');

async function orAbsent(answer: Promise<KubeObject>): Promise<KubeObject | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
