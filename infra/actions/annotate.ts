import type { Cluster, Key } from '../../shared/cluster/cluster.ts';
import { pointerToken } from '../../shared/json.ts';
import type { JsonObject, ObjectMeta, ResourceType } from '../../shared/kubernetes.ts';

interface Annotation {
  readonly name: string;
  /** Undefined removes the annotation. */
  readonly value: string | undefined;
  readonly manager: string;
}

/** Sets or removes an annotation, locked to the version that was read; sends no request if the value is unchanged. */
export async function annotate(
  cluster: Cluster,
  object: Key & { readonly type: ResourceType; readonly live: ObjectMeta },
  { name, value, manager }: Annotation,
): Promise<void> {
  const { type, live, ...key } = object;
  if (live.annotations?.[name] === value) return;
  const { resourceVersion } = live;
  const operations = [changeOf(live, name, value)];
  await cluster.patch(type, key, { resourceVersion, operations, manager });
}

function changeOf(
  { annotations }: ObjectMeta,
  name: string,
  value: string | undefined,
): JsonObject {
  const path = '/metadata/annotations';
  if (annotations === undefined) return { op: 'add', path, value: { [name]: value } };
  const pointer = `${path}/${pointerToken(name)}`;
  return value === undefined
    ? { op: 'remove', path: pointer }
    : { op: 'add', path: pointer, value };
}
