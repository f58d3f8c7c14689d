import { hash } from 'node:crypto';
import { isFields } from '../json.ts';

/** The text of a page, with its objects cut out. */
export interface Outline {
  /** What is around the objects, as JSON: the list's metadata, and no objects. */
  readonly envelope: unknown;
  /** SHA-256 of the objects' bytes. */
  readonly digest: string;
}

const items = Buffer.from('"items":[');

/**
 * Finds the objects of a page without parsing them; undefined if it is not in the form in which an API server writes a
 * list. The list's own resourceVersion changes with every write to the cluster, so a page is known by its objects.
 *
 * Guarantees: two pages of one digest have the same objects. The metadata of a list contains no bracket, and inside
 * a text its quotation marks would be escaped, so the first `"items":[` opens the list, and the last `]` closes it.
 * Wherever a server writes anything else, what is around the cut is not JSON, or not the envelope of a list.
 */
export function outlineOf(body: Buffer): Outline | undefined {
  const start = body.indexOf(items) + items.length;
  const end = body.lastIndexOf(']');
  if (start < items.length || end < start) return undefined;
  const envelope = parsed(body.toString('utf8', 0, start) + body.toString('utf8', end));
  if (!isEnvelope(envelope)) return undefined;
  return { envelope, digest: hash('sha256', body.subarray(start, end)) };
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
  Object.values(value.metadata).every((one) => typeof one !== 'object');
