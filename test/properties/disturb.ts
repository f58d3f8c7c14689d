import { configMap, persistentVolumeClaim } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject, ResourceType } from '../../shared/kubernetes.ts';
import { RefusedError } from '../../testing/user.ts';
import type { Api, Live, Patch } from '../scenarios/api.ts';
import { childTypes } from '../support/observe.ts';

/** One change of a child by another writer. */
export type Disturbance = (api: Api, live: Live) => Promise<unknown>;

/** Returns the type of a child by its kind. */
export const typeOf = ({ kind }: Live): ResourceType =>
  childTypes.find((type) => type.kind === kind) ?? persistentVolumeClaim;

export const patch =
  (body: unknown, how?: Patch): Disturbance =>
  (api, live) =>
    api.patch(typeOf(live), live.metadata.name, body, how);

export const apply =
  (fields: JsonObject, manager = 'taker'): Disturbance =>
  (api, live) =>
    api.apply(typeOf(live), live.metadata.name, fields, manager);

/** Builds a reference to a ConfigMap, which it creates. */
export async function otherOwner(api: Api): Promise<JsonObject> {
  await permitted(api.create(configMap, 'owner', {}));
  const { uid } = (await api.get(configMap, 'owner')).metadata;
  return { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid };
}

/** Adds an owner that does not control the child. */
function ownedBesides(at: '0' | '-'): Disturbance {
  return async (api, live) => {
    const value = await otherOwner(api);
    await patch([{ op: 'add', path: `/metadata/ownerReferences/${at}`, value }], { as: 'json' })(
      api,
      live,
    );
  };
}

/** Replaces the child by a PUT, as `kubectl replace` does. */
function replaced(change: (live: Live) => object): Disturbance {
  return async (api, live) => {
    const { status: _, ...now } = await api.get(typeOf(live), live.metadata.name);
    await api.replace(typeOf(live), change(now) as Live, 'kubectl-replace');
  };
}

/** Changes of any child. */
export const common: Readonly<Record<string, Disturbance>> = {
  deleted: (api, live) => api.remove(typeOf(live), live.metadata.name),
  'deleted, and held by a finalizer': async (api, live) => {
    await patch({ metadata: { finalizers: ['other/hold'] } })(api, live);
    await common.deleted?.(api, live);
  },
  'labels stripped': patch({ metadata: { labels: null } }),
  'managed-by changed': patch({
    metadata: { labels: { 'app.kubernetes.io/managed-by': 'somebody' } },
  }),
  'instance label removed': patch({
    metadata: { labels: { 'app.kubernetes.io/instance': null } },
  }),
  'label and annotation added': patch({
    metadata: { labels: { 'other/label': 'x' }, annotations: { 'other/note': 'x' } },
  }),
  'labels taken over': apply({
    metadata: { labels: { 'app.kubernetes.io/managed-by': 'serverless-reconciler' } },
  }),
  'managedFields cleared': patch(
    [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }],
    { as: 'json' },
  ),
  'owner no longer blocks': patch(
    [{ op: 'replace', path: '/metadata/ownerReferences/0/blockOwnerDeletion', value: false }],
    { as: 'json' },
  ),
  orphaned: patch({ metadata: { ownerReferences: null } }),
  'controller removed': patch(
    [{ op: 'replace', path: '/metadata/ownerReferences/0/controller', value: false }],
    { as: 'json' },
  ),
  'finalizer added': patch({ metadata: { finalizers: ['other/guard'] } }),
  'second owner added': ownedBesides('-'),
  'second owner put first': ownedBesides('0'),
  'replaced without labels': replaced(({ metadata: { name, ownerReferences }, ...live }) => ({
    ...live,
    metadata: { name, ownerReferences },
  })),
  'replaced from its manifest': replaced(
    ({ metadata: { name, labels, annotations }, ...live }) => ({
      ...live,
      metadata: { name, labels, annotations },
    }),
  ),
};

/** Ignores that the server refuses an attempt. */
export async function permitted(attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    const isRefused = error instanceof RefusedError && error.status.code < 500;
    // The server answers 500 to two equal node ports.
    if (!isRefused && !/ duplicate nodePort: /.test((error as Error).message)) throw error;
  }
}
