import { unlessNotFound } from '../cluster/cluster-errors.ts';
import { deepFreeze, present, weightOf } from '../json.ts';
import type { Reference } from '../kinds/reads.ts';
import { isGranted, isInSelection, maxSelected } from '../kinds/references/grants.ts';
import type { KubeObject } from '../kubernetes.ts';
import { selectorText } from '../label-selector.ts';
import { type ReducedObject, readObjectOf, SecretData } from '../plan/observed/read-object.ts';
import { type Pool, PostponedError, UnreadableError } from '../plan/observed/unreadable.ts';
import {
  answerOf,
  type FailedRequest,
  type Found,
  type Selected,
  type SelectedAnswer,
} from '../plan/observed/world.ts';
import type { Run } from '../run/run.ts';
import { retryExpired } from './listing.ts';

/** A reference and what it refers to. `no room`: time or memory ran out before that was read. */
export type Answer = readonly [Reference, Found | 'no room'];

/** An object as read, or why it could not be read. */
export type ReadObject =
  | {
      readonly object: ReducedObject;
      readonly namespace: string;
      readonly resourceVersion: string;
      readonly values?: SecretData;
    }
  | { readonly failure: FailedRequest }
  | 'no room';

export type ObjectReader = (reference: Reference, live: KubeObject) => ReadObject;

/** Returns a function that reduces referenced objects to what kinds may use. */
export const objectReader =
  ({ limits }: Run, poolOf: (namespace: string) => Pool): ObjectReader =>
  ({ type, isSource }, live) => {
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
  };

type Subject = Pick<Reference, 'type' | 'name'>;

export const unreadableReference = (subject: Subject, message: string) =>
  failedReference(subject, { reason: 'UnreadableObject', message, transient: false });

export const failedReference = ({ type, name }: Subject, failure: FailedRequest) => ({
  failure: { ...failure, message: `${type.kind} ${name} cannot be read: ${failure.message}` },
});

/**
 * Answers references of one type from one list.
 *
 * Guarantees: parses each object once, however many references find it. If one object that a selector matches
 * cannot be read, the whole selector fails with that error.
 */
export async function listReferences(
  run: Run,
  references: readonly [Reference, ...Reference[]],
  { read, everywhere }: { readonly read: ObjectReader; readonly everywhere: boolean },
): Promise<readonly Answer[]> {
  const [first] = references;
  const isWide = everywhere || references.some(({ namespace }) => namespace === '');
  const where = {
    namespace: isWide ? undefined : first.namespace,
    ...present({ selector: commonSelector(references) }),
  };
  const list = async (): Promise<Gathering> => {
    const gathering = openGathering(references);
    await run.cluster.list(first.type, where, (live) => gathering.add(live, read));
    return gathering;
  };
  const gathered = (await retryExpired(list).catch(unlessNotFound)) ?? openGathering(references);
  return references.map((one) => [one, gathered.answerTo(one)]);
}

/** Returns the selector that all references have in common; undefined if they differ or name objects. */
function commonSelector(references: readonly Reference[]): string | undefined {
  const texts = new Set(references.map(({ selector }) => selector && selectorText(selector)));
  const [text] = texts;
  return texts.size === 1 && text !== '' ? text : undefined;
}

interface Gathering {
  readonly add: (live: KubeObject, read: ObjectReader) => void;
  readonly answerTo: (reference: Reference) => Found | 'no room';
}

interface Gathered extends Selected {
  readonly found: ReadObject;
}

/**
 * Keeps the listed objects that references find. For a selector it keeps one more than the limit, to show
 * that the limit is exceeded.
 */
function openGathering(references: readonly Reference[]): Gathering {
  const byKey = Map.groupBy(references, ({ namespace, name, selector }) =>
    selector === undefined ? `${namespace}/${name}` : namespace,
  );
  const gathered = new Map(references.map((one): [Reference, Gathered[]] => [one, []]));
  const isOpen = (one: Reference): boolean => (gathered.get(one)?.length ?? 0) <= maxSelected;
  return {
    add(live, read) {
      const { namespace = '', name, resourceVersion } = live.metadata;
      const places = new Set([`${namespace}/${name}`, namespace, '']);
      const finders = [...places]
        .flatMap((place) => byKey.get(place) ?? [])
        .filter((one) => one.selector === undefined || isInSelection(one, live.metadata))
        .filter((one) => isOpen(one) && isGranted(one, live.metadata));
      const [first] = finders;
      if (first === undefined) return;
      const one = { namespace, name, resourceVersion, found: read(first, live) };
      for (const finder of finders) gathered.get(finder)?.push(one);
    },
    answerTo(reference) {
      const all = gathered.get(reference) ?? [];
      return reference.selector === undefined
        ? (all[0]?.found ?? {})
        : selectedAnswer(reference, all);
    },
  };
}

function selectedAnswer(reference: Reference, all: readonly Gathered[]): Found | 'no room' {
  if (all.length > maxSelected)
    return unreadableReference(
      reference,
      `it selects more than ${maxSelected} objects; narrow the selector`,
    );
  const objects: SelectedAnswer[] = [];
  for (const { found, ...one } of all) {
    if (found === 'no room' || 'failure' in found) return found;
    const { object, values } = found;
    objects.push({ ...one, object, ...present({ values }) });
  }
  return answerOf(reference, objects);
}
