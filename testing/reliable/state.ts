import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import { saltAnnotation, secretDigestAnnotation } from '../../shared/kinds/names.ts';
import { valuesIn } from '../../shared/kinds/references/template.ts';
import { isOfType, isSameType, type Json, titleOf } from '../../shared/kubernetes.ts';
import { conceal } from '../../shared/plan/drift/secrecy.ts';
import { describeDifference, firstDifference } from '../difference.ts';
import { heldFields } from '../drift/held-fields.ts';
import type { RehearsedResource } from '../rehearse.ts';
import { everywhere, type LiveObject } from '../user.ts';

/** The children of a resource by title, with the fields that we applied. */
export type ClusterState = ReadonlyMap<
  string,
  { readonly kind: string; readonly fields: Readonly<Record<string, Json>> }
>;

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
      const fields = heldFields(one, identity, child ?? { body: {} })
        .filter(({ path }) => !salted.some((annotation) => path.includes(annotation)))
        .filter(({ path }) => !path.startsWith('data') || !isRandom(child, subject, desired))
        .map(({ path, value }) => [path, withoutMirror(value)] as const)
        .toSorted(([a], [b]) => (a < b ? -1 : 1));
      return [title, { kind: one.kind ?? '', fields: Object.fromEntries(fields) }];
    }),
  );
}

/**
 * True if a child's templates use, perhaps indirectly, a Secret with generated values, or a Secret that is neither part
 * of the test nor desired. Such values may differ from test to test.
 */
const isRandom = (
  child: Child | undefined,
  subject: Pick<RehearsedResource, 'given'>,
  desired: readonly Child[],
): boolean =>
  valuesIn(child?.templates ?? {}).some(({ secret: name }) => {
    if (subject.given?.some((one) => isOfType(one, secret) && one.metadata.name === name))
      return false;
    const source = desired.find((one) => isSameType(one.type, secret) && one.name === name);
    const others = desired.filter((one) => one !== source);
    return (
      source?.generated !== undefined || source === undefined || isRandom(source, subject, others)
    );
  });

/** Removes the registry that an admission webhook has added to an image. */
export const withoutMirror = (value: Json): Json =>
  typeof value === 'string' ? value.replace(/^mirror-\d+\.example\.org\//, '') : value;

const salted = [saltAnnotation, secretDigestAnnotation];

/** Describes the first difference of each child between two states, without values of Secrets; empty if equal. */
export const differencesOf = (from: ClusterState, to: ClusterState): readonly string[] =>
  [...new Set([...from.keys(), ...to.keys()])].toSorted().flatMap((title) => {
    const [was, is] = [from.get(title), to.get(title)];
    if (was === undefined || is === undefined)
      return [`${title} ${is === undefined ? 'is missing' : 'should not exist'}`];
    const found = firstDifference(was.fields, is.fields);
    return found === undefined ? [] : [`${title}: ${describeDifference(conceal(is.kind, found))}`];
  });
