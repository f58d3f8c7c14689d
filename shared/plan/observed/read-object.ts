import { isMap } from '../../canonical.ts';
import { present, valueAt, weightOf } from '../../json.ts';
import { secret } from '../../kinds/child-types/core.ts';
import { digestOf } from '../../kinds/names.ts';
import { type ReadObject, secretDigestPrefix } from '../../kinds/reads.ts';
import {
  isSameType,
  type JsonObject,
  type KubeObject,
  type ResourceType,
} from '../../kubernetes.ts';
import { openMeter, type Pool, requireShallow } from './unreadable.ts';

export type SecretData = ReturnType<typeof secretDataOf>;

/** Keeps the values of a Secret in a closure, so that JSON and logs cannot contain them. */
export const secretDataOf = ({ data }: KubeObject) => ({
  weight: weightOf(data),
  /** Returns base64. */
  textOf(key: string): string | undefined {
    const value = valueAt(data, key);
    return typeof value === 'string' ? value : undefined;
  },
});

export type ReducedObject = ReadObject & JsonObject;

/** Reduces a live object to what a kind's `children` receives: a Secret to name, labels, keys and a digest. */
export function readObjectOf(type: ResourceType, live: KubeObject, pool?: Pool): ReducedObject {
  const { apiVersion: _, kind: __, metadata, immutable: ___, ...content } = live;
  const { name, labels } = metadata;
  requireShallow(content, 'it is');
  openMeter(pool, 'fields')(weightOf([content, labels]) / bytesPerUnit);
  const identified = { name, ...present({ labels }) };
  if (!isSameType(type, secret))
    return { ...content, ...identified, digest: contentDigest(content), ...generationsOf(live) };
  const data = isMap(content.data) ? content.data : {};
  // Uses the digest that a recorded Secret has in place of its values.
  const { digest = `${secretDigestPrefix}${digestOf(data)}` } = content;
  return { ...identified, keys: Object.keys(data).toSorted(), digest: String(digest) };
}

/** Omits `lastApplied` in the status of a kind's resource, because every daily comparison changes it. */
function contentDigest(content: JsonObject): string {
  const { lastApplied, ...status } = isMap(content.status) ? content.status : {};
  return digestOf(valueAt(lastApplied, 'comparedAt') ? { ...content, status } : content);
}

/** One unit of the meter pays for reading and hashing this many bytes. */
const bytesPerUnit = 8;

function generationsOf(live: KubeObject) {
  const numberIn = (value: unknown) => (typeof value === 'number' ? value : undefined);
  return present({
    generation: numberIn(live.metadata.generation),
    observedGeneration: numberIn(valueAt(live, 'status', 'observedGeneration')),
  });
}
