import type { JsonObject, ManagedFieldsEntry, ResourceType } from '../../shared/kubernetes.ts';
import type { Api, Live } from './api.ts';

/** An object as a backup keeps it. */
interface Saved {
  readonly type: ResourceType;
  readonly live: Live;
}

/** Saves all objects of some types, which are restored in this order. */
export async function backUp(api: Api, types: readonly ResourceType[]): Promise<readonly Saved[]> {
  const lists = await Promise.all(types.map((type) => api.list(type)));
  return types.flatMap((type, at) => (lists[at] ?? []).map((live) => ({ type, live })));
}

/**
 * What a restore keeps. Velero removes the owners and puts managedFields back in a second write; `kubectl create` of
 * saved manifests keeps the owners and drops managedFields.
 */
export interface Keeps {
  readonly managedFields: boolean;
  readonly owners?: boolean;
}

/** The fields that Velero removes (`resetMetadata` in pkg/restore/restore.go). */
const reset = [
  'generateName',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
];

/** Creates the saved objects again, as Velero does. */
export async function restore(api: Api, saved: readonly Saved[], keeps: Keeps): Promise<void> {
  for (const { type, live } of saved) {
    const { name, managedFields, ...metadata } = live.metadata;
    const { apiVersion: _, kind: __, status: ___, ...content } = live as Live & JsonObject;
    const left = Object.entries(metadata).filter(
      ([field]) => !reset.includes(field) || (keeps.owners && field === 'ownerReferences'),
    );
    const labels = { ...metadata.labels, 'velero.io/restore-name': 'r' };
    const annotations = Object.fromEntries(
      Object.entries(metadata.annotations ?? {}).filter(
        ([key]) => !key.startsWith('pv.kubernetes'),
      ),
    );
    const body = {
      ...withoutPlace(content),
      metadata: { ...Object.fromEntries(left), labels, annotations },
    };
    await api.create(type, name, body as JsonObject, 'velero-server');
    if (keeps.managedFields) await putBack(api, { type, live }, managedFields ?? []);
  }
}

/** Removes the addresses of a Service and the volume of a claim, which the cluster assigns. */
function withoutPlace(content: JsonObject): JsonObject {
  if (content.spec === undefined) return content;
  const { clusterIP: _, clusterIPs: __, volumeName: ___, ...spec } = content.spec as JsonObject;
  return { ...content, spec };
}

const putBack = (
  api: Api,
  { type, live }: Saved,
  managedFields: readonly ManagedFieldsEntry[],
): Promise<Live> => api.patch(type, live.metadata.name, { metadata: { managedFields } });
