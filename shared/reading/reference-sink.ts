import { deepFreeze, present, weightOf } from '../json.ts';
import type { Reference } from '../kinds/reads.ts';
import type { KubeObject } from '../kubernetes.ts';
import { type ReducedObject, readObjectOf, SecretData } from '../plan/observed/read-object.ts';
import { type Pool, PostponedError, UnreadableError } from '../plan/observed/unreadable.ts';
import type { FailedRequest, Found } from '../plan/observed/world.ts';
import { explain } from '../run/explain.ts';
import type { Run } from '../run/run.ts';

/** An object as read, or why it could not be read. */
export type ReadAnswer =
  | {
      readonly object: ReducedObject;
      readonly namespace: string;
      readonly resourceVersion: string;
      readonly values?: SecretData;
    }
  | { readonly failure: FailedRequest }
  /** Time or memory ran out before the object was read. */
  | 'no room';

/** Reads objects and collects the answers to references. */
export interface Sink {
  readonly read: (reference: Reference, live: KubeObject) => ReadAnswer;
  readonly answer: (reference: Reference, found: Found | 'no room') => void;
  readonly fail: (reference: Reference, error: unknown) => Promise<void>;
}

export const openSink = (
  run: Run,
  poolOf: (namespace: string) => Pool,
  answer: Sink['answer'],
): Sink => ({
  answer,
  read: (reference, live) => readObject(run, reference, { live, poolOf }),
  async fail(reference, error) {
    const failure = await explain(run, reference.type, error);
    answer(reference, failed(reference, failure, failure.message));
  },
});

function readObject(
  { limits }: Run,
  { type, isSource }: Reference,
  { live, poolOf }: { readonly live: KubeObject; readonly poolOf: (namespace: string) => Pool },
): ReadAnswer {
  const { name, namespace = '', resourceVersion } = live.metadata;
  try {
    const object = readObjectOf(type, live, poolOf(namespace));
    const values = isSource ? new SecretData(live) : undefined;
    // Freezes the object, because all resources that refer to it share it.
    return limits.memory.admit(namespace, weightOf(object) + (values?.weight ?? 0))
      ? { object: deepFreeze(object), namespace, resourceVersion, ...present({ values }) }
      : 'no room';
  } catch (error) {
    if (error instanceof PostponedError) return 'no room';
    const why = error instanceof UnreadableError ? error.message : String(error);
    return unreadableReference({ type, name }, why);
  }
}

type Subject = Pick<Reference, 'type' | 'name'>;

export const unreadableReference = (subject: Subject, why: string) =>
  failed(subject, { reason: 'UnreadableObject', transient: false }, why);

const failed = (
  { type, name }: Subject,
  failure: Omit<FailedRequest, 'message'>,
  why: string,
): { readonly failure: FailedRequest } => ({
  failure: { ...failure, message: `${type.kind} ${name} cannot be read: ${why}` },
});
