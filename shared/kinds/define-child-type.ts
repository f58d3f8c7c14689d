import { isCustom, type JsonObject, type ResourceType } from '../kubernetes.ts';
import {
  aFunction,
  and,
  matching,
  must,
  oneOf,
  optional,
  throwAny,
  withOnly,
} from './checks/shape.ts';
import type { ChildType } from './child-type.ts';
import { bounded } from './child-types/facts.ts';
import { legalDnsLabel, legalDomain } from './names.ts';
import { customResourceReadiness } from './readiness.ts';

type Definition<Facts extends JsonObject> = ResourceType &
  Pick<ChildType<object, object, Facts>, 'facts' | 'impact' | 'readiness' | 'scale'>;

/**
 * Defines a child type for a custom resource that another controller reconciles. (A result of `defineKind` is
 * already a child type.) `Body` is the object without apiVersion, kind, metadata and status. An error for an invalid
 * definition names the field and the remedy.
 */
export function defineChildType<
  Body extends object = JsonObject,
  Facts extends JsonObject = JsonObject,
>(given: Definition<Facts>): ChildType<Body, object, Facts> {
  throwAny(
    `child type ${given.kind}`,
    definition(given).map((problem) => problem.slice(1)),
  );
  const { facts } = given;
  return { readiness: customResourceReadiness, ...given, ...(facts && { facts: bounded(facts) }) };
}

const definition = withOnly({
  group: and(
    must(
      (group) => typeof group === 'string' && isCustom({ group }),
      'the group of a custom resource; import a built-in type from serverless-reconciler instead (docs/child-types.md)',
    ),
    matching(
      legalDomain,
      'a lower-case domain; take it from apiVersion, for example cert-manager.io from cert-manager.io/v1',
    ),
  ),
  version: matching(legalDnsLabel, 'a version such as v1 or v1beta1, without the group'),
  kind: matching(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i, 'a name such as Certificate'),
  plural: matching(
    legalDnsLabel,
    'a lower-case name such as certificates; take it from kubectl api-resources',
  ),
  scope: optional(oneOf('Namespaced', 'Cluster')),
  facts: optional(aFunction),
  impact: optional(aFunction),
  readiness: optional(aFunction),
  scale: () => [],
});
