import { createPublicKey, X509Certificate } from 'node:crypto';
import { isFields, type JsonFields, listAt, present, textAt } from '../../json.ts';
import type { JsonObject, KubeObject } from '../../kubernetes.ts';
import { digestOf } from '../names.ts';
import { numberAt } from '../readiness.ts';

/** The facts of a complete Job that no longer exists. */
export const completeFacts = { outcome: 'Complete' } as const;

/** An absent number is 0. */
export const numbersIn = <Name extends string>(live: KubeObject, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, numberAt(live, `status.${name}`)])) as {
    readonly [Field in Name]: number;
  };

const maxText = 253;

export function shortTextAt(value: unknown, ...path: readonly string[]): string | undefined {
  const text = textAt(value, ...path);
  return text === undefined || text.length > maxText ? undefined : text;
}

const maxItems = 16;

/** Returns the addresses of a load balancer: IPs or, where there is no IP, host names. */
export const addressesOf = ({ status }: KubeObject): readonly string[] =>
  listAt(status, 'loadBalancer', 'ingress')
    .slice(0, maxItems)
    .flatMap((one) => shortTextAt(one, 'ip') ?? shortTextAt(one, 'hostname') ?? []);

/** Returns the images of a workload's containers, by container name. */
export const imagesIn = (spec: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    listAt(spec, 'template', 'spec', 'containers')
      .slice(0, maxItems)
      .flatMap((one) => {
        const [name, image] = [shortTextAt(one, 'name'), shortTextAt(one, 'image')];
        return name === undefined || image === undefined ? [] : [[name, image]];
      }),
  );

/** The maximum length of a custom type's facts, in characters of JSON. */
const maxFacts = 2048;

/** Copies the facts, so that the live object can be freed. Returns none if `facts` throws or returns too much. */
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

/** The maximum length of a value in base64: enough for two certificates with 100 names of 253 characters each. */
const maxCertificates = 98_304;

/** `renewAt` is when two thirds of the validity period have passed; `authority` is the CA certificate's fingerprint. */
export function certificateFacts(data: unknown) {
  const own = certificateIn(data, 'tls.crt');
  const authority = certificateIn(data, 'ca.crt')?.fingerprint256;
  return present({ ...(own && timesOf(own)), authority });
}

function timesOf({ validFromDate: from, validToDate: to }: X509Certificate) {
  const renewAt = new Date(from.getTime() + ((to.getTime() - from.getTime()) * 2) / 3);
  return { renewAt: renewAt.toISOString(), validFrom: from.toISOString() };
}

function certificateIn(data: unknown, key: string): X509Certificate | undefined {
  const text = textAt(data, key) ?? '';
  if (text.length > maxCertificates) return undefined;
  try {
    return new X509Certificate(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
}

/** Maximum number of certificates and keys to read in a Secret. */
const maxKeys = 8;

/**
 * Returns, by data key, a digest of the public key of each PEM certificate or key. Undefined if there are too many, if
 * one is too large or in an OpenSSH format, or if the values are masked, as in a recording (a mask contains a colon).
 */
export function publicKeysIn(data: JsonFields) {
  const values = Object.entries(data).filter(
    (one): one is [string, string] => typeof one[1] === 'string',
  );
  if (values.some(([, value]) => value.includes(':') || value.length > maxCertificates))
    return undefined;
  const all = values.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()] as const);
  const texts = all.filter(([, text]) => text.includes('-----BEGIN '));
  if (texts.length > maxKeys || all.some(([, text]) => openSshFormat.test(text))) return undefined;
  return present(Object.fromEntries(texts.map(([key, text]) => [key, publicKeyOf(text)])));
}

const openSshFormat = /-----BEGIN OPENSSH|^(ssh|ecdsa|sk)-/;

function publicKeyOf(pem: string): string | undefined {
  try {
    return digestOf(String(createPublicKey(pem).export({ type: 'spki', format: 'pem' })));
  } catch {
    return undefined;
  }
}
