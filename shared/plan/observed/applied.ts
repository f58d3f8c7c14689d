import { hash } from 'node:crypto';
import { type JsonObject, keyOf, type ObjectRef } from '../../kubernetes.ts';
import { shortJson } from './short-text.ts';

/** Records the last apply to a child and what the server stored. While both digests match, there is no drift. */
export interface Applied {
  /** First characters of the child's uid, because the record is about that object alone. */
  readonly uid: string;
  /** The resource's generation when these fields were first applied. */
  readonly generation: number;
  /** Digest of the applied fields. */
  readonly wanted: string;
  /** Digest of the live values of the fields that our Apply entry names. */
  readonly stored: string;
  /** True if the child was complete then, as a Job can be. */
  readonly complete?: true;
}

/** Records in text form, by child as `keyOf` names it. */
export type AppliedRecords = Readonly<Record<string, string>>;

/**
 * Digest of fields or values. A Secret's is salted: users who may read the status, but not the Secret, could
 * otherwise guess values until the digest matches.
 */
export const shortDigest = (text: string, salt = ''): string =>
  hash('sha256', salt + text, 'base64url').slice(0, 12);

/** Digest of the fields applied to a child. The fields must not contain undefined. */
export const wantedDigest = (fields: JsonObject, salt?: string): string =>
  shortDigest(shortJson(fields), salt);

/** Formats a record as text for the status, in 40 to 64 characters. */
export const recordText = ({ uid, generation, wanted, stored, complete }: Applied): string =>
  [uid, generation, wanted, stored, ...(complete ? ['complete'] : [])].join('.');

const form = /^([^.]{1,8})\.(\d{1,15})\.([\w-]{12})\.([\w-]{12})(\.complete)?$/;

/** Parses a record; returns undefined for a text that no run can have written. */
export function recordIn(text: string | undefined): Applied | undefined {
  const [, uid, generation, wanted, stored, complete] = form.exec(text ?? '') ?? [];
  return uid === undefined || wanted === undefined || stored === undefined
    ? undefined
    : {
        uid,
        generation: Number(generation),
        wanted,
        stored,
        ...(complete ? { complete: true } : {}),
      };
}

/** Digest of the key and the fields of a completed child. The status keeps it after the child is no longer wanted. */
export const completionOf = (key: string, wanted: string): string =>
  shortDigest(`${key} ${wanted}`);

/** Maps each child to its record's text; leaves out empty ones. */
export const readApplied = (
  texts: readonly string[],
  children: readonly ObjectRef[],
): AppliedRecords =>
  Object.fromEntries(
    texts.flatMap((text, at) => {
      const child = children[at];
      return text === '' || child === undefined ? [] : [[keyOf(child), text]];
    }),
  );
