import { valueAt } from '../json.ts';
import { type KubeObject, type ResourceType, titleOf } from '../kubernetes.ts';
import type { Cluster, Key, WriteOptions } from './cluster.ts';
import {
  isInvalid,
  isNotFound,
  KubeError,
  lostResponse,
  malformed,
  unlessNotFound,
} from './cluster-errors.ts';
import type { Call, Connection } from './http/connection.ts';
import { isIdentified, listOver, missingIn } from './http-list.ts';
import { collection, item, metadataOnly } from './paths.ts';
import { openSender, type RunLimits, type Sender } from './request-sender.ts';

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

const nameOf = ({ kind }: ResourceType, { namespace, name }: Key): string =>
  titleOf({ kind, namespace, name });

async function read(
  send: Send,
  type: ResourceType,
  { key, ...call }: Pick<Call, 'what' | 'accept'> & { readonly key: Key },
): Promise<KubeObject | undefined> {
  const path = item(type, key, call.what);
  const get = { ...call, method: 'GET', path, name: key.name } as const;
  return sendObject(send, type, get).catch(unlessNotFound);
}

async function sendObject(
  send: Send,
  type: ResourceType,
  { name, ...call }: Call & Pick<Key, 'name'>,
): Promise<KubeObject> {
  return identified(await send(type, call), call.what, name);
}

function identified(response: unknown, what: string, name: string): KubeObject {
  if (isIdentified(response) && response.metadata.name === name) return response;
  const missing = missingIn(response);
  throw malformed(what, missing ? `it has no metadata.${missing}` : 'it is another object');
}

const applyOver =
  (send: Send): Cluster['apply'] =>
  async (type, manifest, options) => {
    const { metadata } = manifest;
    const { subresource, dryRun } = options;
    const status = subresource === undefined ? '' : ` ${subresource}`;
    const what = `${dryRun ? 'dry-run ' : ''}apply ${nameOf(type, metadata)}${status}`;
    return sendObject(send, type, {
      method: 'PATCH',
      path: `${item(type, metadata, what)}${suffixFor(options)}&force=true`,
      body: manifest,
      contentType: 'application/apply-patch+yaml',
      what,
      name: metadata.name,
    });
  };

const suffixFor = ({ manager, subresource, dryRun }: WriteOptions): string =>
  `${subresource === undefined ? '' : `/${subresource}`}?fieldManager=${manager}${dryRun ? '&dryRun=All' : ''}`;

const createOver =
  (send: Send): Cluster['create'] =>
  (type, manifest) =>
    sendObject(send, type, {
      method: 'POST',
      path: collection(type, manifest.metadata.namespace),
      body: manifest,
      contentType: 'application/json',
      what: `create ${nameOf(type, manifest.metadata)}`,
      name: manifest.metadata.name,
    });

const patchOver =
  (send: Send): Cluster['patch'] =>
  async (type, key, { resourceVersion, operations, ...options }) => {
    const lock = { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion };
    const what = `${options.dryRun ? 'dry-run ' : ''}patch ${nameOf(type, key)}`;
    const path = `${item(type, key, what)}${suffixFor(options)}`;
    const body = [lock, ...operations];
    const contentType = 'application/json-patch+json';
    try {
      const call = { method: 'PATCH', path, body, contentType, what, name: key.name } as const;
      return await sendObject(send, type, call);
    } catch (error) {
      // The server also returns 422 if the `test` fails because the object has another version.
      if (!isInvalid(error) && !isNotFound(error)) throw error;
      const now = await read(send, type, { key, what });
      if (now?.metadata.resourceVersion === resourceVersion) throw error;
      const status = { reason: 'Conflict', message: 'it changed meanwhile' };
      throw new KubeError(what, { code: 409, status, lostResponse: lostResponse(error) });
    }
  };

const removeOver =
  (send: Send): Cluster['remove'] =>
  async (type, key, preconditions) => {
    const options = { apiVersion: 'v1', kind: 'DeleteOptions' };
    const body = { ...options, preconditions, propagationPolicy: 'Background' };
    const what = `delete ${nameOf(type, key)}`;
    const path = item(type, key, what);
    const call = { method: 'DELETE', path, body, contentType: 'application/json', what } as const;
    const response = await send(type, call).catch(unlessNotFound);
    // The server returns a Status, or the object, which is already gone if it has no deletionTimestamp.
    if (response === undefined || valueAt(response, 'kind') === 'Status') return undefined;
    const last = identified(response, what, key.name);
    return last.metadata.deletionTimestamp === undefined ? undefined : last;
  };
