import { hash } from 'node:crypto';
import { type JsonObject, keyOf, type ObjectRef } from '../../kubernetes.ts';
import { shortJson } from './short-text.ts';

/** Record of the last apply to a child and of the server's result. While both digests match, the child is in order. */
export interface Applied {
  /** First characters of the child's uid: the record is about that object alone. */
  readonly uid: string;
  /** The resource's generation when these fields were first applied. */
  readonly generation: number;
  /** Digest of the applied fields. */
  readonly wanted: string;
  /** Digest of the live values of the fields that our Apply entry names. */
  readonly stored: string;
  /** True if it has done what it was made for. */
  readonly complete?: true;
}

/** The texts of records by child, as `keyOf` names it. */
export type AppliedRecords = Readonly<Record<string, string>>;

/**
 * Digest of fields or values. For a Secret it is salted: otherwise users who may read the status but not the Secret
 * could guess values until the digest matches.
 */
export const digestOf = (text: string, salt = ''): string =>
  hash('sha256', salt + text, 'base64url').slice(0, 12);

/** Digest of the fields applied to a child; no field may be undefined. */
export const wantedDigest = (fields: JsonObject, salt?: string): string =>
  digestOf(shortJson(fields), salt);

/** Formats a record for the status, in 40 to 64 characters. */
export const textOf = ({ uid, generation, wanted, stored, complete }: Applied): string =>
  [uid, generation, wanted, stored, ...(complete ? ['complete'] : [])].join('.');

const form = /^([^.]{1,8})\.(\d{1,15})\.([\w-]{12})\.([\w-]{12})(\.complete)?$/;

/** The record in a text; undefined if no run can have written it. */
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

/** Digest of a completed child and its fields, which the status keeps after the child is no longer wanted. */
export const completionOf = (key: string, wanted: string): string => digestOf(`${key} ${wanted}`);

/** Maps each child to its text, unless that is empty. */
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
