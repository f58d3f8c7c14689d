import type { Json } from '../kubernetes.ts';
import { isSameType } from '../kubernetes.ts';
import type { Child } from './child.ts';
import { secret } from './child-types/core.ts';
import { configDigestAnnotation, digestOf, secretDigestAnnotation } from './names.ts';
import { secretDigestPrefix } from './reads.ts';

/** A ConfigMap or Secret that the kind reads, or that it wants as a child. */
type Rolling = { readonly name: string; readonly digest: string } | Child;

/**
 * Returns annotations for a pod template, with a digest of the given objects. The pods roll when one of the
 * objects changes, appears or disappears. Plans, Events and logs never show a Secret's digest.
 */
export function rollOnChange(
  ...objects: readonly (Rolling | undefined)[]
): Readonly<Record<string, string>> {
  const there = objects.filter((one) => one !== undefined);
  const [secrets, others] = [there.filter(isSecret), there.filter((one) => !isSecret(one))];
  return {
    ...(others.length === 0 ? {} : { [configDigestAnnotation]: digestOfAll(others) }),
    ...(secrets.length === 0 ? {} : { [secretDigestAnnotation]: digestOfAll(secrets) }),
  };
}

const isSecret = (one: Rolling): boolean =>
  'digest' in one ? one.digest.startsWith(secretDigestPrefix) : isSameType(one.type, secret);

function digestOfAll(objects: readonly Rolling[]): string {
  const digests = objects.map(digestOfOne);
  const [only, ...more] = digests;
  return only !== undefined && more.length === 0
    ? only
    : digestOf(objects.map(({ name }, at) => [name, digests[at] ?? '']));
}

function digestOfOne(one: Rolling): string {
  if ('digest' in one) return one.digest;
  const { data = null, binaryData } = one.body;
  const parts = [binaryData, one.templates].filter((part) => part !== undefined);
  return digestOf((parts.length === 0 ? data : [data, ...parts]) as Json);
}
