import { X509Certificate } from 'node:crypto';
import { isFields, listAt, present, textAt } from '../../json.ts';
import type { JsonObject, KubeObject } from '../../kubernetes.ts';
import { numberAt } from '../readiness.ts';

/** The facts of a complete Job that no longer exists. */
export const completeFacts = { outcome: 'Complete' } as const;

/** Returns 0 for an absent number. */
export const numbersIn = <Name extends string>(live: KubeObject, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, numberAt(live, `status.${name}`)])) as {
    readonly [Field in Name]: number;
  };

const maxText = 253;

/** Returns undefined if the string is absent, empty or too long. */
export function shortTextAt(value: unknown, ...path: readonly string[]): string | undefined {
  const text = textAt(value, ...path);
  return text === undefined || text.length > maxText ? undefined : text;
}

const maxAddresses = 16;

/** Returns at most 16 addresses, each an IP or, without one, a host name. */
export const addressesOf = ({ status }: KubeObject): readonly string[] =>
  listAt(status, 'loadBalancer', 'ingress')
    .slice(0, maxAddresses)
    .flatMap((one) => shortTextAt(one, 'ip') ?? shortTextAt(one, 'hostname') ?? []);

/** Maximum number of characters of JSON, for the `facts` of a custom type. */
const maxFacts = 2048;

/**
 * Copies the result of a `facts` function, so that the live object can be freed. Returns no facts if the
 * function throws, or its result is too long or not an object.
 */
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

/** The limit in base64 characters. A certificate with 100 names of 253 characters, the largest, has about 47,600. */
const maxCertificate = 49_152;

/**
 * Returns facts about the certificate in a Secret's data: `renewAt`, when two thirds of its validity are over, and
 * `authority`, the fingerprint of the signing certificate. Omits a fact if the Secret has no such certificate.
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
  const text = textAt(data, key) ?? '';
  if (text.length > maxCertificate) return undefined;
  try {
    return new X509Certificate(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
}
