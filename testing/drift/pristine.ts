import { isSameJson } from '../../shared/canonical.ts';
import { valueAt } from '../../shared/json.ts';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { conceal } from '../../shared/plan/drift/secrecy.ts';
import { shownValue } from '../difference.ts';
import { breach, laws } from '../law.ts';
import { namespaceOfChild, type RehearsedResource } from '../rehearse.ts';
import type { LiveObject } from '../user.ts';
import { type HeldField, heldFields } from './held-fields.ts';

/** A child as it was before any change. */
export interface Pristine {
  readonly subject: RehearsedResource;
  readonly child: Child;
  readonly live: LiveObject;
  /** The child as it was last read; undefined after a change. */
  seen?: Seen | undefined;
}

interface Seen {
  readonly live: LiveObject;
  readonly fields: ReadonlyMap<string, HeldField>;
}

export type ChildOfSubject = Pick<Pristine, 'subject' | 'child'>;

export const find = ({ subject, child }: ChildOfSubject): Promise<LiveObject | undefined> =>
  subject.env.get(child.type, child.name, namespaceOfChild(subject, child));

export async function read({ subject, child }: ChildOfSubject): Promise<LiveObject> {
  const live = await find({ subject, child });
  if (live !== undefined) return live;
  throw breach(laws.recreated, subject.what, [`${titleOfChild(child)} does not exist`]);
}

export const heldBy = ({ subject, child }: Pristine, live: LiveObject): readonly HeldField[] =>
  heldFields(live, subject.reconciler.config.identity, child);

const byPath = (pristine: Pristine, live: LiveObject): Seen['fields'] =>
  new Map(heldBy(pristine, live).map((field) => [field.path, field]));

export async function look(pristine: Pristine): Promise<Seen> {
  if (pristine.seen !== undefined) return pristine.seen;
  const live = await read(pristine);
  pristine.seen = { live, fields: byPath(pristine, live) };
  return pristine.seen;
}

export function differencesIn(
  pristine: Pristine,
  before: LiveObject,
  after: LiveObject,
): readonly { readonly path: string; readonly text: string }[] {
  const [desired, found] = [byPath(pristine, before), byPath(pristine, after)];
  return [...new Set([...desired.keys(), ...found.keys()])].flatMap((path) => {
    const values = { path, from: desired.get(path)?.value, to: found.get(path)?.value };
    if (isSameJson(values.from, values.to)) return [];
    const { from, to } = conceal(pristine.child.type.kind, values);
    const seen = found.has(path) ? `found ${shownValue(to)}` : 'not restored';
    return [{ path, text: `${path}: desired ${shownValue(from)}, ${seen}` }];
  });
}

/** Undoes changes outside our fields, so that the next change starts from the original object. */
export async function tidy(pristine: Pristine): Promise<void> {
  const { subject, child, live } = pristine;
  const after = await read(pristine);
  if (isSameJson(contentOf(after), contentOf(live))) return;
  const { managedFields, ...metadata } = live.metadata;
  const { resourceVersion, uid } = after.metadata;
  await subject.env.replace(child.type, {
    ...live,
    ...withAssigned(live, after),
    metadata: { ...metadata, resourceVersion, uid },
  });
}

/** Keeps a Service's `healthCheckNodePort`, which is immutable and may have been reassigned. */
function withAssigned(live: LiveObject, after: LiveObject): JsonObject {
  const healthCheckNodePort = valueAt(after, 'spec', 'healthCheckNodePort');
  return live.kind === 'Service' && healthCheckNodePort !== undefined
    ? { spec: { ...(live.spec as JsonObject), healthCheckNodePort } }
    : {};
}

function contentOf({ metadata, status, ...content }: LiveObject): JsonObject {
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  return {
    ...content,
    metadata: { labels, annotations, ownerReferences, finalizers } as JsonObject,
  };
}
