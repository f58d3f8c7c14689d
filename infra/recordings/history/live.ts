import type { Cluster, Key } from '../../../shared/cluster/cluster.ts';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import { textAt, valueAt } from '../../../shared/json.ts';
import { secret } from '../../../shared/kinds/child-types/core.ts';
import {
  apiVersionOf,
  isSameType,
  type KubeObject,
  type ResourceType,
} from '../../../shared/kubernetes.ts';
import { eventType } from '../../../shared/plan/status/kubernetes-events.ts';
import type { HistorySubject } from './history.ts';
import type { SeenObject } from './seen-object.ts';

interface Live {
  /** The resource, followed by its children; empty if the resource does not exist. */
  readonly objects: readonly SeenObject[];
  readonly events: readonly KubeObject[];
  readonly failures: readonly string[];
}

/** The maximum number of children to read by name, and of Events to keep. */
const maxRead = 200;

/** Reads no more of a Secret than its metadata. */
export async function readLive(
  cluster: Cluster,
  { kind, namespace, name }: HistorySubject,
): Promise<Live> {
  const resource = await cluster.get(kind, { namespace, name });
  if (resource === undefined) return { objects: [], events: [], failures: [] };
  const failures: string[] = [];
  const objects: SeenObject[] = [{ type: kind, live: resource }];
  const refs = childrenIn(resource, kind.owns);
  for (const { type, ...ref } of refs.slice(0, maxRead)) {
    const key = { namespace: ref.namespace ?? namespace, name: ref.name };
    try {
      const live = await readChild(cluster, type, key);
      if (live !== undefined) objects.push({ type, live });
    } catch (error) {
      failures.push(`${type.kind} ${ref.name}: ${messageOf(error)}`);
    }
  }
  if (refs.length > maxRead)
    failures.push(
      `only ${maxRead} of ${refs.length} children were read; recordings contain all of them`,
    );
  const events: KubeObject[] = [];
  const fields = { 'involvedObject.kind': kind.kind, 'involvedObject.name': name };
  await cluster
    .list(eventType, { namespace: namespace || 'default', fields }, (event) => {
      if (
        events.length < maxRead &&
        textAt(event, 'involvedObject', 'uid') === resource.metadata.uid
      )
        events.push(event);
    })
    .catch((error: unknown) => failures.push(`Events: ${messageOf(error)}`));
  return { objects, events, failures };
}

async function readChild(
  cluster: Cluster,
  type: ResourceType,
  key: Key,
): Promise<SeenObject['live'] | undefined> {
  if (!isSameType(type, secret)) return cluster.get(type, key);
  const metadata = await cluster.getMetadata(type, key);
  return metadata && { metadata };
}

function childrenIn(resource: KubeObject, owns: readonly ResourceType[]) {
  const refs = valueAt(resource.status, 'children');
  return (Array.isArray(refs) ? refs : []).flatMap((one) => {
    const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((field) =>
      textAt(one, field),
    );
    const type = owns.find((own) => own.kind === kind && apiVersionOf(own) === apiVersion);
    if (type === undefined || name === undefined) return [];
    return [{ type, name, namespace: textAt(one, 'namespace') }];
  });
}
