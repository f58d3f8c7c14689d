import { includesType, isCustom, type JsonObject, type ResourceType } from '../kubernetes.ts';
import type { ChildType } from './child-type.ts';
import { builtInTypes } from './child-types/built-in-types.ts';
import { bounded } from './child-types/facts.ts';
import { legalDnsLabel, legalDomain } from './names.ts';
import { throwAny } from './own-code.ts';
import { customResourceReadiness } from './readiness.ts';

type Definition<Facts extends JsonObject> = ResourceType &
  Pick<ChildType<object, object, Facts>, 'facts' | 'impact' | 'readiness' | 'scale'>;

/**
 * Defines a child type for a custom resource that another controller reconciles, or for a cluster-scoped type of
 * Kubernetes that is not exported. (A result of `defineKind` is already a child type.) `Body` is the object without
 * apiVersion, kind, metadata and status. An error for an invalid definition names the field and the remedy.
 */
export function defineChildType<
  Body extends object = JsonObject,
  Facts extends JsonObject = JsonObject,
>(given: Definition<Facts>): ChildType<Body, object, Facts> {
  throwAny(`child type ${given.kind}`, nameProblems(given));
  const { facts, group } = given;
  return {
    readiness: customResourceReadiness,
    // Retains a CustomResourceDefinition, because its deletion also deletes other users' objects.
    ...(group === 'apiextensions.k8s.io' && { retained: true }),
    ...given,
    ...(facts && { facts: bounded(facts) }),
  };
}

const legal = {
  group: new RegExp(`^$|${legalDomain.source}`),
  version: legalDnsLabel,
  kind: /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i,
  plural: legalDnsLabel,
} as const;

function nameProblems(given: ResourceType): readonly string[] {
  const isWide = given.scope === 'Cluster' && !/^[a-z-]+$/.test(given.group);
  if (includesType(builtInTypes, given) || !(isCustom(given) || isWide))
    return [
      `group is "${given.group}"; it must be the group of a custom resource, or of a cluster-scoped type (scope: 'Cluster') that serverless-reconciler does not export; if serverless-reconciler exports ${given.kind}, import it instead (docs/child-types.md)`,
    ];
  const remedy = 'take it from `kubectl api-resources`, where APIVERSION is GROUP/VERSION';
  return (Object.keys(legal) as (keyof typeof legal)[])
    .filter((field) => !legal[field].test(given[field]))
    .map((field) => `${field} is "${given[field]}"; ${remedy}`);
}
