/** Live custom resources as kube-apiserver 1.36 returned them, with all children ready. */

import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { merge, type Override } from './merge.ts';

/** Creation time of the children. */
export const createdAt = '2026-11-21T10:38:34Z';
export const websiteUid = 'dcaffb4b-ddc6-4f21-82f0-6e82780fbca9';
export const fooUid = 'af624edb-b3fe-4c90-b7ed-f83bedf0d206';

const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'Ready',
  message: 'all children are up to date and ready',
  observedGeneration: 1,
  lastTransitionTime: '2026-11-21T10:38:35Z',
} as const;

interface LiveResource extends KubeObject {
  readonly spec: JsonObject;
  readonly status: JsonObject;
}

/** The sample Website, in place and Ready. */
export const website = (over: Override<LiveResource> = {}): LiveResource =>
  merge(
    {
      apiVersion: 'kubecon.my.domain/v1beta1',
      kind: 'Website',
      metadata: {
        name: 'website-sample',
        namespace: 'default',
        uid: websiteUid,
        resourceVersion: '286',
        generation: 1,
        creationTimestamp: '2026-11-21T10:38:31Z',
      },
      spec: { imageTag: 'latest', nodePort: 31000 },
      status: {
        observedGeneration: 1,
        children: [
          { apiVersion: 'apps/v1', kind: 'Deployment', name: 'website-sample' },
          { apiVersion: 'v1', kind: 'Service', name: 'website-sample' },
        ],
        conditions: [ready],
      },
    },
    over,
  );

/** The sample Foo, in place and Ready. */
export const foo = (over: Override<LiveResource> = {}): LiveResource =>
  merge(
    {
      apiVersion: 'example.com/v1alpha1',
      kind: 'Foo',
      metadata: {
        name: 'foo-sample',
        namespace: 'default',
        uid: fooUid,
        resourceVersion: '287',
        generation: 1,
        creationTimestamp: '2026-11-21T10:38:31Z',
      },
      spec: { deploymentName: 'foo-sample', replicas: 1 },
      status: {
        availableReplicas: 1,
        observedGeneration: 1,
        children: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'foo-sample' }],
        conditions: [ready],
      },
    },
    over,
  );
