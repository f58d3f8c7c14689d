import { createHmac } from 'node:crypto';
import { canonicalJson, isMap } from '../canonical.ts';
import { present } from '../json.ts';
import { secret } from '../kinds/child-types/core.ts';
import { readableByAnnotation } from '../kinds/names.ts';
import {
  isSameType,
  type Json,
  type JsonObject,
  type KubeObject,
  type ResourceType,
} from '../kubernetes.ts';
import { readObjectOf } from '../plan/observed/read-object.ts';

/** Limit of nesting. A run reads no object deeper than this, and JSON.stringify does not overflow the stack. */
const maxLevels = 450;

/**
 * Prepares an object for a recording: replaces each value of a Secret by a digest with the recording's salt.
 *
 * Guarantees: equal values have equal digests. No value of a Secret is kept and, of its annotations, only grants are.
 * Content below the depth that a run reads is cut off. Caveats: the unsalted digest that kinds receive is kept for a
 * Secret that was read by name or in a list without labels, because the children made with it contain the same
 * digest.
 */
export function recordedObject(
  type: ResourceType,
  live: KubeObject,
  { salt, isReference }: { readonly salt: string; readonly isReference: boolean },
): JsonObject {
  if (!isSameType(type, secret)) return cut(live, maxLevels) as JsonObject;
  const digest = isReference ? digestOf(live) : undefined;
  const { apiVersion, kind, metadata, type: secretType, immutable, data, ...others } = live;
  const mask = (value: Json | undefined): string => maskedText(salt, value);
  const { annotations, ...shown } = cut(metadata, maxLevels) as JsonObject;
  return {
    apiVersion,
    kind,
    metadata: {
      ...shown,
      ...(isMap(annotations) ? { annotations: maskedAnnotations(annotations, mask) } : {}),
    },
    ...(typeof secretType === 'string' ? { type: secretType } : {}),
    ...(typeof immutable === 'boolean' ? { immutable } : {}),
    ...(isMap(data) ? { data: mapped(data, mask) } : {}),
    ...mapped(others, mask),
    ...present({ digest }),
  };
}

/** Returns the digest that replaces a value of a Secret. Content that `cut` removes does not count. */
export function maskedText(salt: string, value: Json | undefined): string {
  const text = canonicalJson(cut(value, maxLevels));
  const digest = createHmac('sha256', salt).update(text, 'utf16le').digest('base64url');
  return `masked:${digest.slice(0, 22)}`;
}

/** Masks annotations. Keeps a grant, because it decides who may read the Secret. */
const maskedAnnotations = (annotations: JsonObject, mask: Mask): JsonObject => ({
  ...mapped(annotations, mask),
  ...present({ [readableByAnnotation]: annotations[readableByAnnotation] }),
});

type Mask = (value: Json | undefined) => string;

const mapped = (fields: JsonObject, mask: Mask): JsonObject =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, mask(value)]));

/** Returns the digest that kinds receive; undefined if the Secret is deeper or larger than a kind may receive. */
function digestOf(live: KubeObject): string | undefined {
  try {
    return readObjectOf(secret, live).digest;
  } catch {
    return undefined;
  }
}

/** Cuts off what is below the given number of levels. */
function cut(value: Json | undefined, levels: number): Json | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item: Json) => cut(item, levels - 1) ?? null);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, cut(inner, levels - 1)]),
  );
}
