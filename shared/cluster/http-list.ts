import { hash } from 'node:crypto';
import {
  apiVersionOf,
  groupResource,
  type KubeObject,
  qualifiedName,
  type ResourceType,
} from '../kubernetes.ts';
import type { Cluster, KnownObjects, Selection } from './cluster.ts';
import { malformed, OversizedError } from './errors.ts';
import { cutPage } from './list-pieces.ts';
import { firstPage, larger, smaller } from './page-size.ts';
import { collection, listQuery } from './paths.ts';
import type { Sender } from './sender.ts';
import { identityProblem, isIdentified, type Page, pageOf } from './shape.ts';

const metadataLists = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** Lists page by page; a page that is too large is requested again with a lower limit. */
export const listOver =
  (send: Sender['send']): Cluster['list'] =>
  async <Made>(
    type: ResourceType,
    selection: Selection,
    each: (live: KubeObject) => Made | undefined,
    known?: KnownObjects<Made>,
  ) => {
    let size = firstPage;
    let token: string | undefined = '';
    let last = '';
    while (token !== undefined) {
      const request: PageRequest = { type, selection, limit: size.limit, token, last };
      const page: ReceivedPage<Made> | undefined = await readPage(send, request, known);
      if (page === undefined) size = smaller(size);
      else {
        last = readObjects(page.objects, { type, each, known }) ?? last;
        size = larger(size);
        token = page.token === '' ? undefined : page.token;
      }
    }
    known?.end();
  };

interface PageRequest {
  readonly type: ResourceType;
  readonly selection: Selection;
  readonly limit: number;
  readonly token: string;
  /** The last object of the previous page, for errors. */
  readonly last: string;
}

interface ReceivedPage<Made> extends Pick<Page, 'token'> {
  readonly objects: Received<Made>[];
}

/** An object as it was received. */
interface Received<Made> {
  readonly value: () => unknown;
  /** SHA-256 of its bytes, if it may be known the next time. */
  readonly digest?: string;
  readonly known?: Made | undefined;
}

/** Undefined if a smaller page must be requested. */
async function readPage<Made>(
  send: Sender['send'],
  { type, selection, limit, token, last }: PageRequest,
  known: KnownObjects<Made> | undefined,
): Promise<ReceivedPage<Made> | undefined> {
  const what = `list ${groupResource(type)}`;
  const path = `${collection(type, selection.namespace)}?${listQuery(selection, limit, token)}`;
  const accept = selection.metadataOnly === true ? { accept: metadataLists } : {};
  const isPage = limit > 1;
  const parse = (body: Buffer) => received(body, known);
  try {
    const call = { method: 'GET', path, what, isPage, parse, ...accept } as const;
    const page = await send<ReturnType<typeof parse>>(type, call);
    if (typeof page === 'string') throw malformed(what, page);
    return page;
  } catch (error) {
    if (!(error instanceof OversizedError)) throw error;
    if (isPage) return undefined;
    const where = last === '' ? 'the first object' : `the object after ${last}`;
    throw new OversizedError(`${error.message}: ${where} is too large to be read`);
  }
}

/** The page, or why it is none. Only those objects are parsed that are not known. */
function received<Made>(
  body: Buffer,
  known: KnownObjects<Made> | undefined,
): ReceivedPage<Made> | string {
  const cut = known && cutPage(body);
  const pieces = cut && known && objectsOf(cut.pieces, known);
  const page = pageOf(pieces === undefined ? parseJson(body) : cut?.envelope);
  if (typeof page === 'string') return page;
  const { items, token } = page;
  return { token, objects: pieces ?? items.map((item) => ({ value: () => item })) };
}

/** Undefined if any of them is not JSON of its own. */
function objectsOf<Made>(
  pieces: readonly Buffer[],
  { recall }: KnownObjects<Made>,
): Received<Made>[] | undefined {
  try {
    return pieces.map((bytes) => {
      const digest = hash('sha256', bytes, 'binary');
      const known = recall(digest);
      if (known !== undefined) return { digest, known, value: () => parseJson(bytes) };
      const item = parseJson(bytes);
      return { digest, value: () => item };
    });
  } catch {
    return undefined;
  }
}

const parseJson = (bytes: Buffer): unknown => JSON.parse(bytes.toString());

interface Reading<Made> {
  readonly type: ResourceType;
  readonly each: (live: KubeObject) => Made | undefined;
  readonly known: KnownObjects<Made> | undefined;
}

/** Reads the objects of a page. Returns the name of the last one; undefined if there is none. */
function readObjects<Made>(
  objects: (Received<Made> | undefined)[],
  { type, each, known: list }: Reading<Made>,
): string | undefined {
  let last: string | undefined;
  // V8 would compile a loop with all that `each` does, in the middle of a short run.
  objects.forEach((one, at) => {
    if (one === undefined) return;
    // So that what is not kept of an object can be collected before the page ends.
    objects[at] = undefined;
    const { value, digest, known } = one;
    const live = () => asObject(value(), type, at);
    const made = known === undefined || list === undefined ? each(live()) : list.again(known, live);
    if (digest !== undefined) list?.keep(digest, made);
    if (at < objects.length - 1) return;
    const { namespace, name } = live().metadata;
    last = qualifiedName(namespace, name);
  });
  return last;
}

function asObject(item: unknown, type: ResourceType, at: number): KubeObject {
  if (!isIdentified(item))
    throw malformed(`list ${groupResource(type)}`, `item ${at}: ${identityProblem(item)}`);
  return { ...item, apiVersion: apiVersionOf(type), kind: type.kind };
}
