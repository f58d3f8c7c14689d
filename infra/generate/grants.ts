import { canonicalJson } from '../../shared/canonical.ts';
import { isFields, type JsonFields, textAt, valueAt } from '../../shared/json.ts';
import type { Child } from '../../shared/kinds/child.ts';
import {
  clusterRole,
  clusterRoleBinding,
  role,
  roleBinding,
} from '../../shared/kinds/child-types/small-groups.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { Resource } from '../../shared/kinds/reads.ts';
import { includesType, type JsonObject } from '../../shared/kubernetes.ts';
import { findEmpty, sampleResources } from './samples.ts';

/** Has wildcards only if a child, such as a ClusterRole, grants wildcards itself. */
export type GrantedRule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
};

const { group } = role;
const roles = [role, clusterRole];
const bindings = [roleBinding, clusterRoleBinding];

/**
 * Allows everything that the samples' children grant: the rules of Roles, and `bind` for foreign roles that bindings
 * name. The API server lets a user grant only permissions that the user has.
 *
 * Caveats: misses grants that no sample contains. A rule whose resourceNames depend on the name of the resource is
 * allowed for all names.
 */
export function rulesForGrants(kinds: readonly Kind[]): readonly GrantedRule[] {
  const rules = kinds.flatMap((kind) =>
    sampleResources(kind).flatMap((sample) => rulesForSample(kind, sample)),
  );
  return [...new Map(rules.map((rule) => [textOf(rule), rule])).values()];
}

function rulesForSample(kind: Kind, sample: Resource<JsonObject>): readonly GrantedRule[] {
  const children = childrenOf(kind, sample);
  const others = grantedBy(childrenOf(kind, { ...sample, name: renamed(sample.name) })).map(textOf);
  // Keeps all resourceNames if the renamed sample grants nothing: there is nothing to compare with.
  const isFixed = (rule: GrantedRule): boolean =>
    others.length === 0 || others.includes(textOf(rule));
  const granted = grantedBy(children).map((rule): GrantedRule => {
    if (rule.resourceNames === undefined || isFixed(rule)) return rule;
    const { resourceNames: _, ...anyName } = rule;
    return anyName;
  });
  return [...granted, ...boundBy(children)];
}

/** Keeps the length of the name, so that rules about lengths allow it. */
const renamed = (name: string): string => `${name.slice(0, -1)}${name.endsWith('x') ? 'y' : 'x'}`;

/** Returns none if the kind's code fails: the check of kinds reports the error. */
function childrenOf(kind: Kind, sample: Resource<JsonObject>): readonly Child[] {
  try {
    const calls = [kind.desired, ...(kind.finalize === undefined ? [] : [kind.finalize])];
    return [undefined, findEmpty].flatMap((find) =>
      calls.flatMap((call) => {
        const desired = call(structuredClone(sample), find);
        return 'invalid' in desired ? [] : desired;
      }),
    );
  } catch {
    return [];
  }
}

function grantedBy(children: readonly Child[]): readonly GrantedRule[] {
  const own = children.filter(({ type }) => includesType(roles, type));
  return own
    .flatMap(({ body }) => (Array.isArray(body.rules) ? body.rules : []))
    .filter(isFields)
    .map(ruleOf);
}

function ruleOf(rule: JsonFields): GrantedRule {
  const { resourceNames, nonResourceURLs } = rule;
  return {
    apiGroups: stringsOf(rule.apiGroups),
    resources: stringsOf(rule.resources),
    ...(Array.isArray(resourceNames) ? { resourceNames: stringsOf(resourceNames) } : {}),
    ...(Array.isArray(nonResourceURLs) ? { nonResourceURLs: stringsOf(nonResourceURLs) } : {}),
    verbs: stringsOf(rule.verbs),
  };
}

const stringsOf = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.map(String) : [];

function boundBy(children: readonly Child[]): readonly GrantedRule[] {
  const isOwn = (binding: Child, kind: string, name: string): boolean =>
    children.some(
      (one) =>
        includesType(roles, one.type) &&
        one.type.kind === kind &&
        one.name === name &&
        (kind === 'ClusterRole' || one.namespace === binding.namespace),
    );
  return children
    .filter(({ type }) => includesType(bindings, type))
    .flatMap((binding) => {
      const ref = valueAt(binding.body, 'roleRef');
      const [kind, name] = [textAt(ref, 'kind'), textAt(ref, 'name')];
      const type = roles.find((one) => one.kind === kind);
      if (type === undefined || name === undefined || isOwn(binding, type.kind, name)) return [];
      return {
        apiGroups: [group],
        resources: [type.plural],
        resourceNames: [name],
        verbs: ['bind'],
      };
    });
}

const textOf = (rule: GrantedRule): string => canonicalJson(rule as JsonObject);
