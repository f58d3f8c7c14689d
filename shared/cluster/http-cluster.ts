import {
  apiVersionOf,
  groupResource,
  type KubeObject,
  type ObjectMeta,
  pathSegmentProblem,
  type ResourceType,
} from '../kubernetes.ts';
import type { Cluster, Key, Selection } from './cluster.ts';
import type { Connection } from './connection.ts';
import { isInvalid, isNotFound, KubeError, lostAnswer } from './errors.ts';
import { openSender, type RunLimits, type Sender } from './sender.ts';

const pageSize = 500;

/** The cluster port over HTTP, for one run. */
export function openCluster(connection: Connection, limits: RunLimits): Cluster {
  return clusterOver(openSender(connection, limits));
}

const clusterOver = ({ send, traffic, withTimeout }: Sender): Cluster => ({
  traffic,
  ...reads(send),
  ...writes(send),
  withTimeout: (ms) => clusterOver(withTimeout(ms)),
});

const reads = (send: Sender['send']): Pick<Cluster, 'list' | 'get' | 'getMetadata'> => ({
  async list(type, selection, each) {
    let token = '';
    do {
      const path = `${collection(type, selection.namespace)}?${listQuery(selection, token)}`;
      const what = `list ${groupResource(type)}`;
      const accept = selection.metadataOnly === true ? { accept: metadataLists } : {};
      const page = await send<List>(type, { method: 'GET', path, what, ...accept });
      for (const live of page.items ?? []) {
        each({ ...live, apiVersion: apiVersionOf(type), kind: type.kind });
      }
      token = page.metadata.continue ?? '';
    } while (token !== '');
  },
  async get(type, key) {
    const what = `read ${nameOf(type, key)}`;
    return orAbsent(send(type, { method: 'GET', path: item(type, key, what), what }));
  },
  async getMetadata(type, key) {
    const what = `read the metadata of ${nameOf(type, key)}`;
    const live = await orAbsent(
      send(type, { method: 'GET', path: item(type, key, what), accept: metadataOnly, what }),
    );
    return live?.metadata as ObjectMeta | undefined;
  },
});

const writes = (send: Sender['send']): Pick<Cluster, 'apply' | 'create' | 'patch' | 'remove'> => ({
  async apply(type, manifest, { manager, subresource }) {
    const { metadata } = manifest;
    const what = `apply ${nameOf(type, metadata)}${subresource === undefined ? '' : ` ${subresource}`}`;
    const path = `${item(type, metadata, what)}${under(subresource)}?fieldManager=${manager}&force=true`;
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
  async patch(type, key, { resourceVersion, operations, manager, subresource }) {
    const lock = { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion };
    const what = `patch ${nameOf(type, key)}`;
    const path = `${item(type, key, what)}${under(subresource)}?fieldManager=${manager}`;
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
      const now = await orAbsent(send(type, { method: 'GET', path: item(type, key, what), what }));
      if (now?.metadata.resourceVersion === resourceVersion) throw error;
      const status = { reason: 'Conflict', message: 'it changed meanwhile' };
      throw new KubeError(what, { code: 409, status, lostAnswer: lostAnswer(error) });
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
        path: item(type, key, what),
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
  /** Go's nil for an empty list of metadata. */
  readonly items: readonly KubeObject[] | null;
}

const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

const metadataLists = metadataOnly.replace('PartialObjectMetadata', 'PartialObjectMetadataList');

const collection = (
  { group, version, plural }: ResourceType,
  namespace: string | undefined,
): string =>
  [
    group === '' ? `/api/${version}` : `/apis/${group}/${version}`,
    ...(namespace === undefined ? [] : ['namespaces', encodeURIComponent(namespace)]),
    plural,
  ].join('/');

/**
 * The path of one object. A name that no object can have is refused here as the API server refuses it,
 * since in a path it would address something else: a subresource, or the collection.
 */
function item(type: ResourceType, { namespace, name }: Key, what: string): string {
  requireSegment(type, name, what);
  return `${collection(type, namespace)}/${encodeURIComponent(name)}`;
}

function requireSegment({ group, kind }: ResourceType, name: string, what: string): void {
  const problem = name === '' ? 'name or generateName is required' : pathSegmentProblem(name);
  if (problem === undefined) return;
  const shown = JSON.stringify(name);
  const isMissing = name === '';
  const refusal = isMissing ? `Required value: ${problem}` : `Invalid value: ${shown}: ${problem}`;
  const subject = group === '' ? kind : `${kind}.${group}`;
  const reason = isMissing ? 'FieldValueRequired' : 'FieldValueInvalid';
  throw new KubeError(what, {
    code: 422,
    status: {
      reason: 'Invalid',
      message: `${subject} ${shown} is invalid: metadata.name: ${refusal}`,
      details: {
        name,
        group,
        kind,
        causes: [{ reason, message: refusal, field: 'metadata.name' }],
      },
    },
  });
}

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
