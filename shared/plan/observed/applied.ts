import { hash } from 'node:crypto';
import { type JsonObject, keyOf, type ObjectRef } from '../../kubernetes.ts';
import { shortJson } from './short-text.ts';

/**
 * What was last applied to a child, and what the server made of it. While both digests are as they were, the
 * child is in order.
 */
export interface Applied {
  /** How the child's uid begins: the record is about that object alone. */
  readonly uid: string;
  /** The resource's generation when these fields were first applied. */
  readonly generation: number;
  /** Digest of the fields that were applied. */
  readonly wanted: string;
  /** Digest of the live values of the fields that our Apply entry names. */
  readonly stored: string;
}

/** By child, as `keyOf` names it. */
export type AppliedRecords = Readonly<Record<string, Applied>>;

/**
 * A digest of fields or values. Those of a Secret are salted: whoever may read a status, but not the Secret,
 * could guess a value until the digest matches.
 */
export const digestOf = (text: string, salt = ''): string =>
  hash('sha256', salt + text, 'base64url').slice(0, 12);

/** The digest of the fields that are applied to a child; none of them is undefined. */
export const wantedDigest = (fields: JsonObject, salt?: string): string =>
  digestOf(shortJson(fields), salt);

/** As the status holds it: 40 to 55 characters. */
export const textOf = ({ uid, generation, wanted, stored }: Applied): string =>
  [uid, generation, wanted, stored].join('.');

const form = /^([^.]{1,8})\.(\d{1,15})\.([\w-]{12})\.([\w-]{12})$/;

/** Reads a list of records that has one text for each child; an empty one stands for none. */
export function readApplied(
  texts: readonly string[],
  children: readonly ObjectRef[],
): AppliedRecords {
  const read: Record<string, Applied> = {};
  for (const [at, child] of children.entries()) {
    const [, uid, generation, wanted, stored] = form.exec(texts[at] ?? '') ?? [];
    if (uid === undefined || wanted === undefined || stored === undefined) continue;
    read[keyOf(child)] = { uid, generation: Number(generation), wanted, stored };
  }
  return read;
}

/** Whether it can be such a text. */
export const isAppliedText = (text: unknown): text is string =>
  typeof text === 'string' && (text === '' || form.test(text));
