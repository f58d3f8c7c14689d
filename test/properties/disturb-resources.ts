import type { ResourceType } from '../../shared/kubernetes.ts';
import type { Api, Live } from '../scenarios/api.ts';
import { otherOwner } from './disturb.ts';

type Touch = (api: Api, type: ResourceType, live: Live) => Promise<unknown>;

const patch =
  (body: unknown, how?: Parameters<Api['patch']>[3]): Touch =>
  (api, type, { metadata: { name } }) =>
    api.patch(type, name, body, how);

/** Changes of a resource that change neither its spec nor what it wants. */
export const touches: Readonly<Record<string, Touch>> = {
  'label and annotation added': patch({
    metadata: { labels: { 'other/label': 'x' }, annotations: { 'other/note': 'x' } },
  }),
  'finalizer added': patch({ metadata: { finalizers: ['other/guard'] } }),
  'finalizers removed': patch({ metadata: { finalizers: null } }),
  'owner added': async (api, type, live) => {
    const metadata = { ownerReferences: [await otherOwner(api)] };
    await patch({ metadata })(api, type, live);
  },
  'managedFields cleared': patch(
    [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }],
    { as: 'json' },
  ),
  'status removed': patch({ status: null }, { subresource: 'status' }),
  'children in the status removed': patch(
    { status: { children: null } },
    { subresource: 'status' },
  ),
  'conditions removed': patch({ status: { conditions: [] } }, { subresource: 'status' }),
  'condition added': patch(
    [
      {
        op: 'add',
        path: '/status/conditions/-',
        value: {
          type: 'Other',
          status: 'True',
          reason: 'Other',
          message: '',
          lastTransitionTime: '2026-11-29T00:00:00Z',
        },
      },
    ],
    { as: 'json', subresource: 'status' },
  ),
  'replaced by itself': async (api, type, { metadata: { name } }) => {
    const { status: _, metadata, ...live } = await api.get(type, name);
    await api.replace(type, { ...live, metadata: { name } } as Live, 'kubectl-replace');
  },
  'spec applied by others': (api, type, { metadata: { name }, spec = {} }) =>
    api.apply(type, name, { spec }, 'gitops'),
  'deleted, and its children orphaned': (api, type, { metadata: { name } }) =>
    api.remove(type, name, 'Orphan'),
  'deleted in the foreground': (api, type, { metadata: { name } }) =>
    api.remove(type, name, 'Foreground'),
};
