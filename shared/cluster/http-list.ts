import {
  apiVersionOf,
  groupResource,
  type KubeObject,
  qualifiedName,
  type ResourceType,
} from '../kubernetes.ts';
import type { Cluster, KnownPage, KnownPages, Selection } from './cluster.ts';
import { malformed, OversizedError } from './errors.ts';
import { outlineOf } from './page-digest.ts';
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
    each: (live: KubeObject) => Made,
    known?: KnownPages<Made>,
  ) => {
    let size = firstPage;
    let token: string | undefined = '';
    let last = '';
    let place = 0;
    while (token !== undefined) {
      const { limit } = size;
      const at = place;
      const recall = known && ((digest: string) => known.recall(at, digest));
      const page: ReceivedPage<Made> | undefined = await readPage(send, {
        type,
        selection,
        limit,
        token,
        last,
        recall,
      });
      if (page === undefined) size = smaller(size);
      else {
        const read =
          known === undefined || page.known === undefined
            ? readObjects(page, { type, last, each })
            : readAgain(page, page.known, { type, again: known.again });
        known?.keep(at, page.digest === undefined ? undefined : { ...read, digest: page.digest });
        ({ last } = read);
        place++;
        size = larger(size);
        token = page.token === '' ? undefined : page.token;
      }
    }
    known?.end(place);
  };

type Recall<Made> = (digest: string) => KnownPage<Made> | undefined;

interface PageRequest<Made> {
  readonly type: ResourceType;
  readonly selection: Selection;
  readonly limit: number;
  readonly token: string;
  /** The last object of the previous page, for errors. */
  readonly last: string;
  readonly recall: Recall<Made> | undefined;
}

/** A page as it was received; a known one without its objects. */
interface ReceivedPage<Made> extends Page {
  readonly body: Buffer;
  readonly digest?: string | undefined;
  readonly known?: KnownPage<Made> | undefined;
}

/** Undefined if a smaller page must be requested. */
async function readPage<Made>(
  send: Sender['send'],
  { type, selection, limit, token, last, recall }: PageRequest<Made>,
): Promise<ReceivedPage<Made> | undefined> {
  const what = `list ${groupResource(type)}`;
  const path = `${collection(type, selection.namespace)}?${listQuery(selection, limit, token)}`;
  const accept = selection.metadataOnly === true ? { accept: metadataLists } : {};
  const isPage = limit > 1;
  const parse = (body: Buffer) => received(body, recall);
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

/** The page, parsed unless it is known, or why it is none. */
function received<Made>(
  body: Buffer,
  recall: Recall<Made> | undefined,
): ReceivedPage<Made> | string {
  const outline = recall && outlineOf(body);
  const known = outline && recall?.(outline.digest);
  const page = pageOf(known === undefined ? JSON.parse(body.toString()) : outline?.envelope);
  return typeof page === 'string' ? page : { ...page, body, digest: outline?.digest, known };
}

type Read<Made> = Omit<KnownPage<Made>, 'digest'>;

/** Calls `each` for the page's objects. */
function readObjects<Made>(
  { items }: Page,
  {
    type,
    last: before,
    each,
  }: Pick<PageRequest<Made>, 'type' | 'last'> & { readonly each: (live: KubeObject) => Made },
): Read<Made> {
  const made: Made[] = [];
  let last = before;
  // V8 would compile a loop with all that `each` does, in the middle of a short run.
  items.forEach((item, at) => {
    // So that what is not kept of an object can be collected before the page ends.
    items[at] = undefined;
    const live = asObject(item, type, at);
    last = qualifiedName(live.metadata.namespace, live.metadata.name);
    made.push(each(live));
  });
  return { made, last };
}

/** Parses the page only once an object is needed. */
function readAgain<Made>(
  { body }: ReceivedPage<Made>,
  { made, last }: KnownPage<Made>,
  { type, again }: { readonly type: ResourceType } & Pick<KnownPages<Made>, 'again'>,
): Read<Made> {
  let items: readonly unknown[] | undefined;
  const liveAt = (at: number): KubeObject => {
    items ??= (JSON.parse(body.toString()) as { readonly items: readonly unknown[] }).items;
    return asObject(items[at], type, at);
  };
  return { made: made.map((one, at) => again(one, () => liveAt(at))), last };
}

function asObject(item: unknown, type: ResourceType, at: number): KubeObject {
  if (!isIdentified(item))
    throw malformed(`list ${groupResource(type)}`, `item ${at}: ${identityProblem(item)}`);
  return { ...item, apiVersion: apiVersionOf(type), kind: type.kind };
}
