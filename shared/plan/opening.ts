import { canonicalJson } from '../canonical.ts';
import { ingress } from '../kinds/child-types.ts';
import type { Child } from '../kinds/define-kind.ts';
import { authUrlAnnotation } from '../kinds/names.ts';
import type { Json, JsonObject } from '../kubernetes.ts';
import { type Difference, isOwnershipOnly } from './drift.ts';
import type { ObservedChild } from './observed.ts';

/**
 * Whether a child as it is may admit requests that it should not: such a child is never left to a tick.
 *
 * Source: nginx passes a request to what is left, so a protected Ingress that is gone, or lost a path,
 * opens what a shallower one serves. A public one that merely lost paths opens nothing.
 */
export function opens(
  child: Child,
  observed: ObservedChild | undefined,
  differences: readonly Difference[],
): boolean {
  if (child.type.kind !== ingress.kind) return false;
  const isPublic = child.annotations?.[authUrlAnnotation] === undefined;
  if (observed === undefined) return !isPublic;
  return differences.some((one) => {
    if (isOwnershipOnly(one) && one.to !== undefined) return false;
    if (/^metadata\.(labels|ownerReferences)/.test(one.path)) return false;
    return one.path !== 'spec.rules' || !isPublic || !isPartOf(observed, child);
  });
}

interface Rule extends JsonObject {
  readonly http?: { readonly paths?: readonly JsonObject[] };
}

/** Whether every live path is a wanted one. */
function isPartOf({ facts }: ObservedChild, { body }: Child): boolean {
  const wanted = new Set(itemsOf((body.spec as JsonObject | undefined)?.rules));
  return itemsOf(facts.rules).every((item) => wanted.has(item));
}

const itemsOf = (rules: Json | undefined): readonly string[] =>
  ((rules ?? []) as readonly Rule[]).flatMap(({ http, ...rest }) =>
    (http?.paths ?? []).map((item) => canonicalJson({ ...rest, item })),
  );
