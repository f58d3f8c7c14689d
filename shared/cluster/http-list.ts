import { isFields, present, textAt, valueAt } from '../json.ts';
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
        const page = await send(type, { method: 'GET', path, what, ...accept });
        last = readObjects(itemsIn(page, what), type, each) ?? last;
        limit = Math.min(maxPage, limit + Math.ceil(limit / 8));
        token = textAt(page, 'metadata', 'continue');
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
      throw malformed(
        `list ${groupResource(type)}`,
        `item ${at} has no metadata.${missingIn(item)}`,
      );
    // Allows garbage collection of the item before the rest of the page is handled.
    items[at] = undefined;
    each({ ...item, apiVersion: apiVersionOf(type), kind: type.kind });
    last = qualifiedName(item.metadata.namespace, item.metadata.name);
  });
  return last;
}

/** Returns the items of a page. Treats null as an empty list, because Go writes an empty list as null. */
function itemsIn(page: unknown, what: string): unknown[] {
  const items = valueAt(page, 'items');
  if (!isFields(valueAt(page, 'metadata')) || (items !== null && !Array.isArray(items)))
    throw malformed(what, 'it is not a list');
  return items ?? [];
}

export const isIdentified = (value: unknown): value is KubeObject => missingIn(value) === undefined;

/** Returns the first field that every object has and this value lacks. */
export function missingIn(value: unknown): string | undefined {
  const metadata = valueAt(value, 'metadata');
  return ['name', 'uid', 'resourceVersion'].find((field) => textAt(metadata, field) === undefined);
}
