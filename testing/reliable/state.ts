import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import { saltAnnotation, secretDigestAnnotation } from '../../shared/kinds/names.ts';
import { valuesIn } from '../../shared/kinds/references/template.ts';
import { isOfType, type Json, titleOf } from '../../shared/kubernetes.ts';
import { describeDifference, firstDifference } from '../difference.ts';
import { heldFields } from '../drift/held-fields.ts';
import type { RehearsedResource } from '../rehearse.ts';
import { everywhere, type LiveObject } from '../user.ts';

/** The children of a resource by title, with the fields that we applied. */
export type ClusterState = ReadonlyMap<string, Readonly<Record<string, Json>>>;

export async function liveChildren({
  env,
  kind,
  name,
  namespace,
}: RehearsedResource): Promise<readonly LiveObject[]> {
  return env.children(kind, name, namespace === '' ? everywhere : { namespace });
}

export const titleOfLive = (subject: RehearsedResource, { kind, metadata }: LiveObject): string =>
  titleOf({
    kind,
    name: metadata.name,
    namespace: subject.namespace === '' ? metadata.namespace : undefined,
  });

/** Omits random and generated values, and Jobs, which may be gone. */
export async function stateOf(
  subject: RehearsedResource,
  desired: readonly Child[],
): Promise<ClusterState> {
  const { identity } = subject.reconciler.config;
  const endless = subject.kind.owns.filter(({ complete }) => complete === undefined);
  const live = (await liveChildren(subject)).filter((one) =>
    endless.some((type) => isOfType(one, type)),
  );
  return new Map(
    live.map((one) => {
      const title = titleOfLive(subject, one);
      const child = desired.find(
        (other) => titleOfChild(other) === title && isOfType(one, other.type),
      );
      const fields = heldFields(one, identity, child?.body ?? {})
        .filter(({ path }) => !salted.some((annotation) => path.includes(annotation)))
        .filter(({ path }) => !path.startsWith('data') || !showsGenerated(child, desired))
        .map(({ path, value }) => [path, withoutMirror(value)] as const);
      return [title, Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)))];
    }),
  );
}

/** True if a Secret contains generated values of another Secret, which differ in each test. */
const showsGenerated = (child: Child | undefined, desired: readonly Child[]): boolean =>
  valuesIn(child?.templates ?? {}).some((value) =>
    desired.some(({ name, generated }) => generated !== undefined && name === value.secret),
  );

/** Removes the registry that an admission webhook has added to an image. */
export const withoutMirror = (value: Json): Json =>
  typeof value === 'string' ? value.replace(/^mirror-\d+\.example\.org\//, '') : value;

const salted = [saltAnnotation, secretDigestAnnotation];

/** Describes the first difference of each child between two states; empty if they are equal. */
export const differencesOf = (from: ClusterState, to: ClusterState): readonly string[] =>
  [...new Set([...from.keys(), ...to.keys()])].toSorted().flatMap((title) => {
    const [was, is] = [from.get(title), to.get(title)];
    if (was === undefined || is === undefined)
      return [`${title} ${is === undefined ? 'is missing' : 'should not exist'}`];
    const found = firstDifference(was, is);
    return found === undefined ? [] : [`${title}: ${describeDifference(found)}`];
  });
