import { isFields } from '../json.ts';

/** The text of a page, cut into what is around its objects and into the objects. */
export interface CutPage {
  /** As JSON: the list's metadata, and no objects. */
  readonly envelope: unknown;
  /** With commas between them they are the list's objects; if each is JSON of its own, each is one object. */
  readonly pieces: readonly Buffer[];
}

const items = Buffer.from('"items":[');
const metadata = Buffer.from('"metadata":{');

/**
 * Cuts a page without parsing its objects; undefined if it is not in the form in which an API server writes a list.
 *
 * Guarantees: the metadata of a list contains no bracket, and inside a text its quotation marks would be escaped, so
 * the first `"items":[` opens the list, and the last `]` closes it. Wherever a server writes anything else, what is
 * around the cut is not JSON, or not the envelope of a list.
 * Caveats: a piece is not an object where one contains a list of others like itself; then it is no JSON.
 */
export function cutPage(body: Buffer): CutPage | undefined {
  const start = body.indexOf(items) + items.length;
  const end = body.lastIndexOf(']');
  if (start < items.length || end < start) return undefined;
  const envelope = parsed(body.toString('utf8', 0, start) + body.toString('utf8', end));
  if (!isEnvelope(envelope)) return undefined;
  return { envelope, pieces: piecesOf(body.subarray(start, end)) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const fields: ReadonlySet<string> = new Set(['apiVersion', 'items', 'kind', 'metadata']);

const isEnvelope = (value: unknown): boolean =>
  isFields(value) &&
  Object.keys(value).every((name) => fields.has(name)) &&
  isFields(value.metadata) &&
  Array.isArray(value.items) &&
  Object.values(value.metadata).every((one) => typeof one !== 'object');

/** The objects of a list begin alike, up to their metadata. */
function piecesOf(objects: Buffer): readonly Buffer[] {
  if (objects.length === 0) return [];
  const alike = objects.subarray(0, objects.indexOf(metadata) + metadata.length);
  const between = Buffer.concat([Buffer.from('},'), alike]);
  const pieces: Buffer[] = [];
  let at = 0;
  for (;;) {
    const next = objects.indexOf(between, at);
    if (next < 0) break;
    pieces.push(objects.subarray(at, next + 1));
    at = next + 2;
  }
  pieces.push(objects.subarray(at));
  return pieces;
}
