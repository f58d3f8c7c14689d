import { hash } from 'node:crypto';
import { type Static, type TSchema, Type } from 'typebox';
import type { JsonObject } from '../../kubernetes.ts';
import { shortJson } from './short-text.ts';

/** The last apply to a child. If a new apply would have the same two digests, the child has not drifted. */
export interface Applied {
  /** The first eight characters of the child's uid. */
  readonly uid: string;
  /** The resource's generation when these fields were first applied. Later applies of the same fields keep it. */
  readonly generation: number;
  readonly desired: string;
  /** Digest of the values that the server stored for these fields. */
  readonly stored: string;
  readonly complete?: true;
  /** Set if the child, a Job, was complete when a run found it no longer desired. */
  readonly past?: true;
}

/** The `recordText` of each child's record, by the child's `keyOf`. */
export type AppliedRecords = Readonly<Record<string, string>>;

/** Requires a salt for a Secret: otherwise, readers of the status could guess its values. */
export const shortDigest = (text: string, salt = ''): string =>
  hash('sha256', salt + text, 'base64url').slice(0, 12);

/** Ignores undefined fields. */
export const desiredDigest = (fields: JsonObject, salt?: string): string =>
  shortDigest(shortJson(fields), salt);

export function recordText(record: Applied): string {
  const { uid, generation, desired, stored, complete, past } = record;
  const state = past ? 'past' : complete ? 'complete' : [];
  return [uid, generation, desired, stored, state].flat().join('.');
}

const form = /^([^.]{1,8})\.(\d{1,15})\.([\w-]{12})\.([\w-]{12})(?:\.(complete|past))?$/;

export function recordIn(text: string | undefined): Applied | undefined {
  const [, uid, generation, desired, stored, complete] = form.exec(text ?? '') ?? [];
  return uid === undefined || desired === undefined || stored === undefined
    ? undefined
    : {
        uid,
        generation: Number(generation),
        desired,
        stored,
        ...(complete ? { complete: true } : {}),
        ...(complete === 'past' ? { past: true } : {}),
      };
}

/** Returns a digest that identifies a completed child even after it leaves `status.children` or its fields change. */
export const completionOf = (key: string, desired: string): string =>
  shortDigest(`${key} ${desired}`);

export const maxDigest = 64;
export const maxCompleted = 32;

/** A larger repair records only top-level fields, such as `spec`. */
export const maxRepairedFields = 16;
export const maxFieldsOfRepairs = 64 * maxRepairedFields;
export const maxFieldPath = 256;

/** The maximum number of desired children: their names and records take about 150 kB of the status. */
export const maxDesired = 1000;

/** Includes children of earlier specs. */
export const maxChildren = 2 * maxDesired;

/** Two repairs for each desired child, so that even a fight over every child is noticed. */
export const maxRepairs = 2 * maxDesired;

const closed = { additionalProperties: false } as const;
const time = Type.String({ format: 'date-time' });
const digest = Type.String({ maxLength: maxDigest });
const path = Type.String({ maxLength: maxFieldPath });

const repair = Type.Object(
  {
    child: Type.Integer({ minimum: 0 }),
    /** By the function's clock. */
    at: time,
    /** By the API server's clock; undefined if managedFields do not show it. */
    written: Type.Optional(time),
    /** Paths of the repaired fields; if there are too many, top-level fields. Undefined if the child was recreated. */
    fields: Type.Optional(Type.Array(path, { maxItems: maxRepairedFields })),
  },
  closed,
);

/** Lets the next run tell drift from the server's own changes. */
export const lastAppliedSchema = Type.Object(
  {
    /** The record (`Applied`) of each child, in the order of `status.children`. */
    children: Type.Array(digest, { maxItems: maxChildren }),
    /** Digest of referenced objects and of labels that the kind read, as of the last run that left nothing to do. */
    reads: Type.Optional(digest),
    /** The earliest future time that the kind asked about (`isPast`). When it comes, desired children may change. */
    until: Type.Optional(time),
    /** When a run last compared all children by dry runs. Before any comparison, a made-up time (`spreadOver`). */
    comparedAt: Type.Optional(time),
    completed: Type.Optional(
      Type.Array(digest, {
        maxItems: maxCompleted,
        description:
          'Digests of completed children that `children` no longer lists, or whose fields have changed. Desired children come first.',
      }),
    ),
    repairs: Type.Optional(
      Type.Array(repair, {
        maxItems: maxRepairs,
        description: 'The latest repairs; `child` is an index in `children`.',
      }),
    ),
  },
  {
    ...closed,
    'x-kubernetes-map-type': 'atomic',
    description:
      'For each of `children`, digests of the fields last applied and of their values as the server stored them.',
  },
);

export type Repair = Fixed<typeof repair>;
export type LastApplied = Fixed<typeof lastAppliedSchema>;

type Fixed<Schema extends TSchema> = DeepReadonly<Static<Schema>>;
type DeepReadonly<Value> = Value extends object
  ? { readonly [Field in keyof Value]: DeepReadonly<Value[Field]> }
  : Value;
