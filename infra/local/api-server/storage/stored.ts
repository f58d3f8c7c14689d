import { jsonText } from '../json/text.ts';
import type { KubeObject } from '../objects/object.ts';

/**
 * One stored version of an object. The JSON text is the truth: reading parses it afresh, so no
 * reader can change what is stored, and lists join texts instead of encoding objects.
 */
export interface Stored {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  /** The object without its apiVersion and kind, which depend on the version asked for. */
  readonly body: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What field selectors see, beyond name and namespace. */
  readonly fields: Readonly<Record<string, string>>;
}

/** One commit: `before` is absent for a creation, `after` for a removal. */
export interface Change {
  readonly collection: string;
  readonly revision: number;
  readonly before?: Stored;
  readonly after?: Stored;
}

/** `<namespace>/<name>`, or the name alone: the order of lists is the byte order of this key. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** The JSON text of an object in one API version. */
export function textOf(stored: Stored, apiVersion: string, kind: string): string {
  return `{"apiVersion":"${apiVersion}","kind":"${kind}",${stored.body.slice(1)}`;
}

/** A fresh, private copy of what is stored. */
export function read(stored: Stored, apiVersion: string, kind: string): KubeObject {
  return {
    apiVersion,
    kind,
    ...JSON.parse(stored.body),
  };
}

/** Encodes an object under a revision; sets its resourceVersion. */
export function encode(
  object: KubeObject,
  revision: number,
  fields: Readonly<Record<string, string>>,
): Stored {
  object.metadata.resourceVersion = String(revision);
  return textual(object, revision, fields);
}

/** What a dry run answers: like a stored object, but in no store. */
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

/** The last state of a removed object, carrying the revision of its removal. */
export function removedState(change: Change): Stored | undefined {
  const { before, revision } = change;
  if (before === undefined) return undefined;
  const object = read(before, '', '');
  return encode(object, revision, before.fields);
}
