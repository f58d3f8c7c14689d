import { apply } from '../../infra/actions/apply.ts';
import { openOfflineServer } from '../../infra/check/offline-server.ts';
import { readRecording } from '../../infra/recordings/recording-file.ts';
import type { Cluster, Key } from '../../shared/cluster/cluster.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { KubeObject, ResourceType } from '../../shared/kubernetes.ts';
import { objectKey } from '../../shared/recording/recording.ts';
import { replayRun } from '../../shared/recording/replay-decisions.ts';
import type { AskServer } from '../../shared/recording/replayed-cluster.ts';
import { Snapshot } from '../../shared/recording/snapshot.ts';
import { parseConfig } from '../support/config.ts';
import type { Write } from './writes.ts';

/**
 * Performs what a recording foretells of a kind's code, without the cluster, and returns the writes. An embedded API
 * server responds to them. `known` are the uids and versions in the recording.
 */
export async function foretoldWrites(file: string, kind: Kind) {
  const { header, requests } = readRecording(file);
  const { concurrency, pruneLimit, namespaces } = parseConfig({ CLUSTER_CONTEXT: 'none' });
  const askServer = openOfflineServer(header.identity.name);
  const area = { kinds: [kind], namespaces };
  const options = { area, concurrency, pruneLimit, rollout: undefined, askServer };
  const snapshot = new Snapshot(requests);
  const { run, planned } = await replayRun({ ...header, snapshot }, options);
  const writes: Write[] = [];
  const cluster = writable(run.cluster, writes);
  await apply({ ...run, cluster }, planned, { concurrency: 1 });
  const objects = [...snapshot.objects.values()].flatMap((one) =>
    'found' in one ? (one.found ?? []) : [],
  );
  const known = objects.flatMap(({ metadata: { uid, resourceVersion } }) => [uid, resourceVersion]);
  return { writes, known: new Set(known) };
}

/** Makes a replayed cluster accept writes, and collects them. */
function writable(cluster: Cluster, writes: Write[]): Cluster {
  const written = new Map<string, KubeObject | undefined>();
  const servers = new Map<string, AskServer>();
  const serverFor = (manager: string): AskServer => {
    const server = servers.get(manager) ?? openOfflineServer(manager);
    servers.set(manager, server);
    return server;
  };
  const note = (
    verb: string,
    type: ResourceType,
    { namespace = '', name }: Key,
    write: Pick<Write, 'body'> & Partial<Write>,
  ) => writes.push({ verb, resource: type.plural, namespace, name, subresource: '', ...write });
  const liveOf = async (type: ResourceType, key: Key) => {
    const own = objectKey(type, key);
    return written.has(own) ? written.get(own) : cluster.get(type, key);
  };
  const keep = (type: ResourceType, key: Key, live: KubeObject): KubeObject => {
    const resourceVersion = `written-${writes.length}`;
    const stored = { ...live, metadata: { ...live.metadata, resourceVersion } };
    written.set(objectKey(type, key), stored);
    return stored;
  };
  const open: Cluster = {
    ...cluster,
    withTimeout: () => open,
    get: liveOf,
    getMetadata: async (type, key) => (await liveOf(type, key))?.metadata,
    async apply(type, manifest, as) {
      if (as.dryRun) return cluster.apply(type, manifest, as);
      const { subresource = '' } = as;
      const key = manifest.metadata;
      note('patch', type, key, { body: manifest, subresource });
      const live = await liveOf(type, key);
      const made = { uid: 'written', managedFields: [], ...manifest.metadata };
      const fresh = { ...manifest, metadata: made } as unknown as KubeObject;
      if (subresource !== '') return keep(type, key, { ...live, ...fresh });
      return keep(type, key, (await serverFor(as.manager)(type, live, manifest)) ?? fresh);
    },
    async create(type, manifest) {
      note('create', type, manifest.metadata, { body: manifest });
      return manifest as unknown as KubeObject;
    },
    async patch(type, key, patch) {
      if (patch.dryRun) return cluster.patch(type, key, patch);
      const { operations, resourceVersion: value, subresource = '' } = patch;
      const lock = { op: 'test', path: '/metadata/resourceVersion', value };
      note('patch', type, key, { body: [lock, ...operations], subresource });
      const live = await liveOf(type, key);
      const response = await serverFor(patch.manager)(type, live, operations);
      if (response === undefined) throw new Error(`no response to the patch of ${key.name}`);
      return keep(type, key, response);
    },
    async remove(type, key, preconditions) {
      const options = { apiVersion: 'v1', kind: 'DeleteOptions' };
      const body = { ...options, preconditions, propagationPolicy: 'Background' };
      note('delete', type, key, { body });
      written.set(objectKey(type, key), undefined);
      return undefined;
    },
  };
  return open;
}
