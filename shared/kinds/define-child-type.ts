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
    // The deletion of a CustomResourceDefinition also deletes other users' objects.
    ...(group === 'apiextensions.k8s.io' && { retained: true }),
    ...given,
    ...(facts && { facts: bounded(facts) }),
  };
}

const forms = {
  group: {
    pattern: new RegExp(`^$|${legalDomain.source}`),
    want: 'a lower-case domain; take it from apiVersion, for example cert-manager.io from cert-manager.io/v1',
  },
  version: {
    pattern: legalDnsLabel,
    want: 'a version such as v1 or v1beta1, without the group',
  },
  kind: { pattern: /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i, want: 'a name such as Certificate' },
  plural: {
    pattern: legalDnsLabel,
    want: 'a lower-case name such as certificates; take it from kubectl api-resources',
  },
} as const;

function nameProblems(given: ResourceType): readonly string[] {
  const isWide = given.scope === 'Cluster' && !/^[a-z-]+$/.test(given.group);
  if (includesType(builtInTypes, given) || !(isCustom(given) || isWide))
    return [
      `group is "${given.group}"; it must be the group of a custom resource, unless the type is cluster-scoped (scope: 'Cluster'); import other built-in types from serverless-reconciler (docs/child-types.md)`,
    ];
  return (Object.keys(forms) as (keyof typeof forms)[])
    .filter((field) => !forms[field].pattern.test(given[field]))
    .map((field) => `${field} is "${given[field]}"; it must be ${forms[field].want}`);
}
