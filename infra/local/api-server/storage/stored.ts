import { jsonText } from '../json/text.ts';
import type { KubeObject } from '../objects/object.ts';

/**
 * One stored version of an object. Its JSON text is parsed anew for each reader, so no reader can modify it,
 * and lists join texts without encoding objects.
 */
export interface Stored {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  /** The object without apiVersion and kind, which depend on the requested version. */
  readonly body: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The values of selectable fields, besides name and namespace. */
  readonly fields: Readonly<Record<string, string>>;
  /** True if the real server stores less than it shows. Its next update writes, even if that changes nothing. */
  readonly isFilledIn?: boolean;
}

/** One commit: `before` is absent for a create, `after` for a removal. */
export interface Change {
  readonly collection: string;
  readonly revision: number;
  readonly before?: Stored;
  readonly after?: Stored;
}

/** Returns `<namespace>/<name>`, or only the name. Lists are in the byte order of these keys. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Returns the JSON text of an object in one API version. */
export function textOf(stored: Stored, apiVersion: string, kind: string): string {
  return `{"apiVersion":"${apiVersion}","kind":"${kind}",${stored.body.slice(1)}`;
}

/** Parses a private copy of a stored object. */
export function read(stored: Stored, apiVersion: string, kind: string): KubeObject {
  return {
    apiVersion,
    kind,
    ...JSON.parse(stored.body),
  };
}

/** Encodes an object under a revision, which becomes its resourceVersion. */
export function encode(
  object: KubeObject,
  revision: number,
  fields: Readonly<Record<string, string>>,
): Stored {
  object.metadata.resourceVersion = String(revision);
  return textual(object, revision, fields);
}

/** Encodes the answer of a dry run: like a stored object, but in no store. */
export function transient(
  object: KubeObject,
  fields: Readonly<Record<string, string>> = {},
): Stored {
  return textual(object, Number(object.metadata.resourceVersion ?? 0), fields);
}

function textual(
  object: KubeObject,
  revision: number,
  fields: Readonly<Record<string, string>>,
): Stored {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
  const { namespace = '', name = '', uid = '', labels = {} } = metadata;
  return {
    key: keyOf(namespace, name),
    namespace,
    name,
    uid,
    revision,
    body: jsonText({ metadata, ...rest }),
    labels,
    fields,
  };
}

/** Returns the last state of a removed object, with the revision of its removal. */
export function removedState(change: Change): Stored | undefined {
  const { before, revision } = change;
  if (before === undefined) return undefined;
  const object = read(before, '', '');
  return encode(object, revision, before.fields);
}
