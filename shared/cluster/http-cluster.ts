import type { KubeObject, ObjectMeta, ResourceType } from '../kubernetes.ts';
import type { Cluster, Key } from './cluster.ts';
import { isInvalid, isNotFound, KubeError, lostResponse, malformed } from './cluster-errors.ts';
import type { Call, Connection } from './http/connection.ts';
import { listOver } from './http-list.ts';
import { collection, item, metadataOnly, nameOf, under } from './paths.ts';
import { openSender, type RunLimits, type Sender } from './request-sender.ts';
import { identityProblem, isIdentified } from './shape.ts';

export function openCluster(connection: Connection, limits: RunLimits): Cluster {
  return clusterOver(openSender(connection, limits));
}

const clusterOver = ({ send, traffic, withTimeout }: Sender): Cluster => ({
  traffic,
  list: listOver(send),
  get: (type, key) => read(send, type, { key, what: `read ${nameOf(type, key)}` }),
  async getMetadata(type, key) {
    const what = `read the metadata of ${nameOf(type, key)}`;
    return (await read(send, type, { key, what, accept: metadataOnly }))?.metadata;
  },
  apply: applyOver(send),
  create: createOver(send),
  patch: patchOver(send),
  remove: removeOver(send),
  withTimeout: (ms) => clusterOver(withTimeout(ms)),
});

type Send = Sender['send'];
type Named = Pick<ObjectMeta, 'name'>;

async function read(
  send: Send,
  type: ResourceType,
  { key, ...call }: Pick<Call, 'what' | 'accept'> & { readonly key: Key },
): Promise<KubeObject | undefined> {
  const path = item(type, key, call.what);
  return orAbsent(sendObject(send, type, { ...call, method: 'GET', path, of: key }));
}

/** Sends a request for one object. Rejects if the response is any other object. */
async function sendObject(
  send: Send,
  type: ResourceType,
  call: Call & { readonly of: Named },
): Promise<KubeObject> {
  const { of, ...rest } = call;
  return identified(await send<unknown>(type, rest), call);
}

function identified(response: unknown, { what, of }: { what: string; of: Named }): KubeObject {
  if (!isIdentified(response)) throw malformed(what, identityProblem(response));
  if (response.metadata.name === of.name) return response;
  throw malformed(what, 'its metadata.name is that of another object');
}

const applyOver =
  (send: Send): Cluster['apply'] =>
  async (type, manifest, { manager, subresource, dryRun }) => {
    const { metadata } = manifest;
    const verb = dryRun ? 'dry-run apply' : 'apply';
    const what = `${verb} ${nameOf(type, metadata)}${subresource === undefined ? '' : ` ${subresource}`}`;
    const path = `${item(type, metadata, what)}${under(subresource)}?fieldManager=${manager}&force=true${dryRun ? '&dryRun=All' : ''}`;
    const contentType = 'application/apply-patch+yaml';
    const call = {
      method: 'PATCH',
      path,
      body: manifest,
      contentType,
      what,
      of: metadata,
    } as const;
    return sendObject(send, type, call);
  };

const createOver =
  (send: Send): Cluster['create'] =>
  (type, manifest) => {
    const { metadata } = manifest;
    const path = collection(type, metadata.namespace);
    const what = `create ${nameOf(type, metadata)}`;
    const contentType = 'application/json';
    const call = { method: 'POST', path, body: manifest, contentType, what, of: metadata } as const;
    return sendObject(send, type, call);
  };

const patchOver =
  (send: Send): Cluster['patch'] =>
  async (type, key, { resourceVersion, operations, manager, subresource, dryRun }) => {
    const lock = { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion };
    const what = `${dryRun ? 'dry-run ' : ''}patch ${nameOf(type, key)}`;
    const query = `fieldManager=${manager}${dryRun ? '&dryRun=All' : ''}`;
    const path = `${item(type, key, what)}${under(subresource)}?${query}`;
    const body = [lock, ...operations];
    const contentType = 'application/json-patch+json';
    const call = { method: 'PATCH', path, body, contentType, what, of: key } as const;
    return sendObject(send, type, call).catch(async (error: unknown) => {
      // The server returns 422 for an invalid value, but also if the tested version has changed.
      if (!isInvalid(error) && !isNotFound(error)) throw error;
      const now = await read(send, type, { key, what });
      if (now?.metadata.resourceVersion === resourceVersion) throw error;
      const status = { reason: 'Conflict', message: 'it changed meanwhile' };
      throw new KubeError(what, { code: 409, status, lostResponse: lostResponse(error) });
    });
  };

const removeOver =
  (send: Send): Cluster['remove'] =>
  async (type, key, preconditions) => {
    const options = { apiVersion: 'v1', kind: 'DeleteOptions' };
    const body = { ...options, preconditions, propagationPolicy: 'Background' };
    const what = `delete ${nameOf(type, key)}`;
    const path = item(type, key, what);
    const call = { method: 'DELETE', path, body, contentType: 'application/json', what } as const;
    const response = await orAbsent(send<unknown>(type, call));
    // The response is a Status or, for some types (Service, Secret), the last state of the object, which still
    // exists if it has a deletionTimestamp.
    if (response === undefined || isStatus(response)) return undefined;
    const last = identified(response, { what, of: key });
    return last.metadata.deletionTimestamp === undefined ? undefined : last;
  };

const isStatus = (response: unknown): boolean =>
  (response as { readonly kind?: unknown } | null)?.kind === 'Status';

async function orAbsent<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
