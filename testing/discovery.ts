import type { Client } from '@serverless-reconciler/local-cluster/client';
import { apiVersionOf, type ResourceType } from '../shared/kubernetes.ts';

interface ServedResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

type GroupVersion = Pick<ResourceType, 'group' | 'version'>;

export const groupPath = (type: GroupVersion): string =>
  `${type.group === '' ? '/api' : '/apis'}/${apiVersionOf(type)}`;

/** The cluster does not serve a type. */
export class NotServedError extends Error {
  override readonly name = 'NotServedError';
}

/** The returned function remembers the results. */
export function discovery(client: Client) {
  const known = new Map<string, readonly ServedResource[]>();
  const read = async (path: string): Promise<readonly ServedResource[]> => {
    const { status, body } = await client.send({ method: 'GET', path });
    const { resources } = (status < 300 ? body : { resources: [] }) as {
      readonly resources: readonly ServedResource[];
    };
    const served = resources.filter(({ name }) => !name.includes('/'));
    known.set(path, served);
    return served;
  };
  return async (
    type: GroupVersion,
    isMeant: (one: ServedResource) => boolean,
    name: string,
  ): Promise<ServedResource> => {
    const path = groupPath(type);
    const found = known.get(path)?.find(isMeant) ?? (await read(path)).find(isMeant);
    if (found !== undefined) return found;
    throw new NotServedError(
      `the embedded cluster does not serve ${name} of ${apiVersionOf(type)}; apply its CustomResourceDefinition first, or pass the configuration that has its kind`,
    );
  };
}
