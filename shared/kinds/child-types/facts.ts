import { X509Certificate } from 'node:crypto';
import { isFields, present, textAt, valueAt } from '../../json.ts';
import { isOfType, type JsonObject, type KubeObject, type ObjectRef } from '../../kubernetes.ts';
import type { ChildType } from '../child-type.ts';
import { numberAt, type Readiness } from '../readiness.ts';

/** A desired child that exists, as `statusOf` and `conditionsOf` receive it. */
export interface FoundChild<Facts extends JsonObject = JsonObject> extends ObjectRef {
  readonly readiness: Readiness;
  /** The result of `ChildType.facts` for the live object; empty if the object was too large to keep. */
  readonly facts: Partial<Facts>;
}

/** The facts of a complete Job that no longer exists. */
export const completeFacts = { outcome: 'Complete' } as const;

/** Returns the children of one type, with the facts of this type. */
export const ofType = <Facts extends JsonObject>(
  children: readonly FoundChild[],
  type: ChildType<object, object, Facts>,
): readonly FoundChild<Facts>[] =>
  children.filter((one): one is FoundChild<Facts> => isOfType(one, type));

/** Returns the named numbers of a live status; 0 for an absent one. */
export const numbersIn = <Name extends string>(
  live: KubeObject,
  ...names: readonly Name[]
): { readonly [Field in Name]: number } =>
  Object.fromEntries(names.map((name) => [name, numberAt(live, `status.${name}`)])) as {
    readonly [Field in Name]: number;
  };

const maxText = 253;

/** Returns the text at a path; undefined if it is absent, empty or too long. */
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

/** Copies what a `facts` function returns, so that the live object can be freed. Returns no facts if it throws. */
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

/** Limit in characters of base64. A certificate with a hundred names has fewer. */
const maxCertificate = 32_768;

/**
 * Returns facts about the certificate in a Secret's data: `renewAt`, when two thirds of its validity are over, and
 * `authority`, the fingerprint of its authority. Omits a fact if its value is not a certificate.
 */
export function certificateFacts(data: unknown) {
  const own = certificateIn(data, 'tls.crt');
  const authority = certificateIn(data, 'ca.crt')?.fingerprint256;
  return present({ renewAt: own && renewalOf(own), authority });
}

function renewalOf({ validFromDate, validToDate }: X509Certificate): string {
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  return new Date(from + ((to - from) * 2) / 3).toISOString();
}

function certificateIn(data: unknown, key: string): X509Certificate | undefined {
  const text = textAt(data, key);
  if (text === undefined || text.length > maxCertificate) return undefined;
  try {
    return new X509Certificate(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
}
