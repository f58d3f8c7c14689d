import { isFields, textAt, valueAt } from '../../json.ts';
import { isOfType, type JsonObject, type KubeObject, type ObjectRef } from '../../kubernetes.ts';
import type { ChildType } from '../child-type.ts';
import { numberAt, type Readiness } from '../readiness.ts';

/** A desired child that exists, as `statusOf` and `conditionsOf` receive it. */
export interface FoundChild<Facts extends JsonObject = JsonObject> extends ObjectRef {
  readonly readiness: Readiness;
  /**
   * The facts that its type extracts from the live object (`ChildType.facts`); empty if the object was too large to
   * keep.
   */
  readonly facts: Partial<Facts>;
}

/** The facts of a complete Job that no longer exists. */
export const completeFacts = { outcome: 'Complete' } as const;

/** Returns the children of one type, with the facts of that type. */
export const ofType = <Facts extends JsonObject>(
  children: readonly FoundChild[],
  type: ChildType<object, object, Facts>,
): readonly FoundChild<Facts>[] =>
  children.filter((one): one is FoundChild<Facts> => isOfType(one, type));

/** Returns the named numbers of a live status; 0 for one that is absent. */
export const numbersIn = <Name extends string>(
  live: KubeObject,
  ...names: readonly Name[]
): { readonly [Field in Name]: number } =>
  Object.fromEntries(names.map((name) => [name, numberAt(live, `status.${name}`)])) as {
    readonly [Field in Name]: number;
  };

/** Limit of a text in the facts. No time, phase, quantity or host name is longer. */
const maxText = 253;

/** Returns the text at a path; undefined if it is absent, empty or longer than `maxText`. */
export function shortTextAt(value: unknown, ...path: readonly string[]): string | undefined {
  const text = textAt(value, ...path);
  return text === undefined || text.length > maxText ? undefined : text;
}

const maxAddresses = 16;

/** Returns the IP addresses, or else host names, of the load balancer of a Service or an Ingress. */
export function addressesOf({ status }: KubeObject): readonly string[] {
  const entries = valueAt(status, 'loadBalancer', 'ingress');
  if (!Array.isArray(entries)) return [];
  return entries
    .slice(0, maxAddresses)
    .flatMap((one: unknown) => shortTextAt(one, 'ip') ?? shortTextAt(one, 'hostname') ?? []);
}

/** Limit of the facts that a `facts` function returns, in characters of JSON. */
const maxFacts = 2048;

/** Copies what a `facts` function returned, so that the live object can be freed. Returns none if it throws. */
export function bounded<Facts extends JsonObject>(
  facts: (live: KubeObject) => Facts,
): (live: KubeObject) => Facts {
  const none = {} as Facts;
  return (live) => {
    try {
      const text = JSON.stringify(facts(live));
      const copy: unknown = text.length > maxFacts ? none : JSON.parse(text);
      return isFields(copy) ? (copy as Facts) : none;
    } catch {
      return none;
    }
  };
}
