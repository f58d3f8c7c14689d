import { present } from '../json.ts';
import {
  apiVersionOf,
  groupResource,
  type KubeObject,
  qualifiedName,
  type ResourceType,
} from '../kubernetes.ts';
import type { Cluster, Selection } from './cluster.ts';
import { malformed, OversizedError } from './cluster-errors.ts';
import { firstPage, larger, smaller } from './page-size.ts';
import { collection, listQuery } from './paths.ts';
import type { Sender } from './request-sender.ts';
import { identityProblem, isIdentified, type Page, pageOf } from './shape.ts';

const metadataLists = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** Lists objects page by page. Requests a page that is too large again, with a lower limit. */
export const listOver =
  (send: Sender['send']): Cluster['list'] =>
  async (type, selection, each) => {
    let size = firstPage;
    let token: string | undefined = '';
    let last = '';
    while (token !== undefined) {
      const request: PageRequest = { type, selection, limit: size.limit, token, last };
      const page = await readPage(send, request);
      if (page === undefined) size = smaller(size);
      else {
        last = readObjects(page.items, type, each) ?? last;
        size = larger(size);
        token = page.token;
      }
    }
  };

interface PageRequest {
  readonly type: ResourceType;
  readonly selection: Selection;
  readonly limit: number;
  readonly token: string;
  /** The name of the previous page's last object, for errors. */
  readonly last: string;
}

/** Reads one page; returns undefined if the page was too large and a smaller one must be requested. */
async function readPage(
  send: Sender['send'],
  { type, selection, limit, token, last }: PageRequest,
): Promise<Page | undefined> {
  const what = `list ${groupResource(type)}`;
  const path = `${collection(type, selection.namespace)}?${listQuery(selection, limit, token)}`;
  const accept = selection.metadataOnly === true ? metadataLists : undefined;
  const isPage = limit > 1;
  try {
    const call = { method: 'GET', path, what, isPage, ...present({ accept }) } as const;
    const page = pageOf(await send<unknown>(type, call));
    if (typeof page === 'string') throw malformed(what, page);
    return page;
  } catch (error) {
    if (!(error instanceof OversizedError)) throw error;
    if (isPage) return undefined;
    const where = last === '' ? 'the first object' : `the object after ${last}`;
    throw new OversizedError(`${error.message}: ${where} is too large to be read`);
  }
}

/** Passes on the objects of a page. Returns the name of the last one; undefined if the page is empty. */
function readObjects(
  items: unknown[],
  type: ResourceType,
  each: (live: KubeObject) => void,
): string | undefined {
  let last: string | undefined;
  items.forEach((item, at) => {
    if (!isIdentified(item))
      throw malformed(`list ${groupResource(type)}`, `item ${at}: ${identityProblem(item)}`);
    // Drops the object, so that it can be garbage-collected before the page ends.
    items[at] = undefined;
    each({ ...item, apiVersion: apiVersionOf(type), kind: type.kind });
    last = qualifiedName(item.metadata.namespace, item.metadata.name);
  });
  return last;
}
