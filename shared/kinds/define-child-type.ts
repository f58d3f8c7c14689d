import { isCustom, type JsonObject, type ResourceType } from '../kubernetes.ts';
import type { ChildType } from './child-type.ts';
import { bounded } from './child-types/facts.ts';
import { suggestion } from './closest.ts';
import { legalDnsLabel } from './names.ts';
import { customResourceReadiness } from './readiness.ts';

type Definition<Facts extends JsonObject> = ResourceType &
  Pick<ChildType<object, object, Facts>, 'facts' | 'impact' | 'readiness' | 'scale'>;

/**
 * Defines a child type for a custom resource that another controller reconciles. Do not call it for a result
 * of `defineKind`, which is a child type already. `Body` is everything except apiVersion, kind, metadata and
 * status; `Facts` is what `facts` returns.
 *
 * Guarantees: throws an Error that names the field and the remedy if the definition is invalid.
 */
export function defineChildType<
  Body extends object = JsonObject,
  Facts extends JsonObject = JsonObject,
>(definition: Definition<Facts>): ChildType<Body, object, Facts> {
  const problem = problemOf(definition);
  if (problem !== undefined) throw new Error(`child type ${definition.kind}: ${problem}`);
  const { facts } = definition;
  const own = facts === undefined ? {} : { facts: bounded(facts) };
  return { readiness: customResourceReadiness, ...definition, ...own };
}

/** The optional fields of a definition. */
const further = ['scope', 'facts', 'impact', 'readiness', 'scale'];

const domain = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;
const kindName = /^[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

function problemOf({
  group,
  version,
  kind,
  plural,
  ...rest
}: Definition<JsonObject>): string | undefined {
  const given = { group, version, kind, plural };
  for (const [field, value] of Object.entries(given))
    if (typeof value !== 'string') return `${field} is missing: give it as a string`;
  if (!isCustom({ group }))
    return `group "${group}" has no custom resources: for a type of Kubernetes use the export of serverless-reconciler (docs/child-types.md)`;
  if (!domain.test(group))
    return `group "${group}" is not a lower-case domain: take it from apiVersion, for example cert-manager.io from cert-manager.io/v1`;
  if (!legalDnsLabel.test(version))
    return `version "${version}" is not a version such as v1 or v1beta1, without the group`;
  if (!kindName.test(kind)) return `kind "${kind}" is not a name such as Certificate`;
  if (!legalDnsLabel.test(plural) || plural === kind)
    return `plural "${plural}" is not a lower-case name such as certificates: take it from kubectl api-resources`;
  if (!['Namespaced', 'Cluster', undefined].includes(rest.scope))
    return `scope ${JSON.stringify(rest.scope)} is neither "Namespaced" nor "Cluster"`;
  const other = Object.keys(rest).find((name) => !further.includes(name));
  if (rest.facts !== undefined && typeof rest.facts !== 'function')
    return 'facts is not a function: return the facts of a live object';
  return other && `there is no field ${other}${suggestion(other, further)}`;
}
