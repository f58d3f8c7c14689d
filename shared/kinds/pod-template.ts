import { present } from '../json.ts';
import { isSameType, type Json } from '../kubernetes.ts';
import type { Child } from './child.ts';
import { secret } from './child-types/core.ts';
import { configDigestAnnotation, digestOf, secretDigestAnnotation } from './names.ts';
import { secretDigestPrefix } from './reads.ts';

/** An object that the kind reads, or a ConfigMap or Secret that is a child. */
type Rolling = { readonly name: string; readonly digest: string } | Child;

/**
 * Returns annotations for a pod template, with a digest of these objects, so that the pods roll when an
 * object changes, appears or disappears. Plans, Events and logs never show a Secret's digest.
 *
 * **Caveats:** of a child's `generated` data, the digest covers only `rotation`. To notice every new value, such as a
 * renewed certificate, read the Secret (`reads`) and pass the object that was read.
 */
export function rollOnChange(
  ...objects: readonly (Rolling | undefined)[]
): Readonly<Record<string, string>> {
  const existing = objects.filter((object) => object !== undefined);
  const secrets = existing.filter(isSecret);
  const others = existing.filter((object) => !isSecret(object));
  return present({
    [configDigestAnnotation]: digestOfAll(others),
    [secretDigestAnnotation]: digestOfAll(secrets),
  });
}

const isSecret = (one: Rolling): boolean =>
  'digest' in one ? one.digest.startsWith(secretDigestPrefix) : isSameType(one.type, secret);

function digestOfAll(objects: readonly Rolling[]): string | undefined {
  const digests = objects.map((one): [string, string] => [one.name, digestOfOne(one)]);
  return digests.length > 1 ? digestOf(digests) : digests[0]?.[1];
}

function digestOfOne(one: Rolling): string {
  if ('digest' in one) return one.digest;
  const { data = null, binaryData } = one.body;
  const parts = [binaryData, one.templates, one.generated?.rotation || undefined].filter(
    (part) => part !== undefined,
  );
  return digestOf((parts.length === 0 ? data : [data, ...parts]) as Json);
}

/**
 * Returns the `imagePullPolicy` that the API server would choose for a new container, by the image's tag. A kind has to
 * set it, because the server keeps the old policy when the image changes.
 */
export const pullPolicyOf = (image: string): 'Always' | 'IfNotPresent' =>
  /:latest(@|$)|^[^@:]*(:\d+\/[^@:]*)?$/.test(image) ? 'Always' : 'IfNotPresent';
