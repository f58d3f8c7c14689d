import { isFields, present } from '../json.ts';
import {
  apiVersionOf,
  groupResource,
  type KubeObject,
  qualifiedName,
  type ResourceType,
} from '../kubernetes.ts';
import type { Cluster } from './cluster.ts';
import { malformed, OversizedError } from './cluster-errors.ts';
import { collection, listQuery } from './paths.ts';
import type { Sender } from './request-sender.ts';

const metadataLists = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

const maxPage = 500;

/** Increases the limit by an eighth after each page, and quarters it if a page is too large. */
export const listOver =
  (send: Sender['send']): Cluster['list'] =>
  async (type, selection, each) => {
    const what = `list ${groupResource(type)}`;
    const accept = present({ accept: selection.metadataOnly ? metadataLists : undefined });
    let limit = maxPage;
    let token: string | undefined = '';
    let last: string | undefined;
    while (token !== undefined) {
      const path = `${collection(type, selection.namespace)}?${listQuery(selection, limit, token)}`;
      try {
        const page = pageOf(await send(type, { method: 'GET', path, what, ...accept }));
        if (typeof page === 'string') throw malformed(what, page);
        last = readObjects(page.items, type, each) ?? last;
        limit = Math.min(maxPage, limit + Math.ceil(limit / 8));
        token = page.token;
      } catch (error) {
        if (!(error instanceof OversizedError)) throw error;
        const where = last === undefined ? 'the first object' : `the object after ${last}`;
        if (limit === 1)
          throw new OversizedError(`${error.message}: ${where} is too large to be read`);
        limit = Math.max(1, Math.floor(limit / 4));
      }
    }
  };

function readObjects(
  items: unknown[],
  type: ResourceType,
  each: (live: KubeObject) => void,
): string | undefined {
  let last: string | undefined;
  items.forEach((item, at) => {
    if (!isIdentified(item))
      throw malformed(`list ${groupResource(type)}`, `item ${at}: ${identityProblem(item)}`);
    // Allows garbage collection before the page ends.
    items[at] = undefined;
    each({ ...item, apiVersion: apiVersionOf(type), kind: type.kind });
    last = qualifiedName(item.metadata.namespace, item.metadata.name);
  });
  return last;
}

/** Returns a string with the problem if it is no list. Go writes an empty list as null. */
function pageOf(value: unknown) {
  if (!isFields(value)) return 'it is not an object';
  const { items, metadata } = value;
  if (!isFields(metadata)) return 'its metadata is not an object';
  const { continue: token = '' } = metadata;
  if (typeof token !== 'string') return 'its metadata.continue is not a string';
  if (items !== null && !Array.isArray(items)) return 'its items are not a list';
  return { items: items ?? [], token: token || undefined };
}

export const isIdentified = (value: unknown): value is KubeObject =>
  identityProblem(value) === undefined;

export function identityProblem(value: unknown): string | undefined {
  if (!isFields(value)) return 'it is not an object';
  const { metadata } = value;
  if (!isFields(metadata)) return 'its metadata is not an object';
  const { namespace = '' } = metadata;
  if (typeof namespace !== 'string') return 'its metadata.namespace is not a string';
  const required = ['name', 'uid', 'resourceVersion'];
  const missing = required.find((field) => typeof metadata[field] !== 'string' || !metadata[field]);
  return missing && `its metadata.${missing} is not a string, or is empty`;
}
