import type { JsonObject } from '../../shared/kubernetes.ts';
import type { Api } from '../scenarios/api.ts';
import { otherOwner } from './disturb.ts';

/** The owner of an object that blocks ours. */
export type ForeignOwner =
  | 'nobody'
  | 'another controller'
  | 'another Foo'
  | 'a Foo of another group';

/** Makes a foreign Deployment with our labels and this owner. */
export async function createForeign(api: Api, as: ForeignOwner): Promise<JsonObject> {
  const labels = { app: 'nginx', controller: 'f' };
  const owner = await ownerOf(api, as);
  return {
    metadata: {
      labels: {
        'app.kubernetes.io/managed-by': 'serverless-reconciler',
        'app.kubernetes.io/part-of': 'foo',
        'app.kubernetes.io/instance': 'f',
      },
      ...(owner === undefined
        ? {}
        : { ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }] }),
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] },
      },
    },
  };
}

async function ownerOf(api: Api, as: ForeignOwner): Promise<JsonObject | undefined> {
  switch (as) {
    case 'nobody':
      return undefined;
    case 'another controller':
      return otherOwner(api);
    case 'another Foo':
      return { apiVersion: 'example.com/v1alpha1', kind: 'Foo', name: 'f', uid: 'gone' };
    case 'a Foo of another group':
      return { apiVersion: 'other.example.com/v1', kind: 'Foo', name: 'f', uid: 'elsewhere' };
  }
}
