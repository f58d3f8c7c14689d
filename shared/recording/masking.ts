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
  type Manifest,
  type ResourceType,
} from '../kubernetes.ts';
import { readObjectOf } from '../plan/observed/read-object.ts';

/** Limit of nesting: deeper than any object that a run reads, and harmless for the stack of JSON.stringify. */
const maxLevels = 450;

/**
 * Prepares an object for a recording: replaces each value of a Secret by a digest with the recording's salt.
 *
 * Guarantees: equal values have equal digests. Of a Secret no value is kept, and no annotation but a grant. Content
 * deeper than a run reads is cut off. Caveats: for a Secret that kinds may read (`isReference`), the unsalted
 * digest that they receive is kept, because their children contain it.
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

/** Returns the digest that replaces a value of a Secret, without content that is too deep (`cut`). */
export function maskedText(salt: string, value: Json | undefined): string {
  const text = canonicalJson(cut(value, maxLevels));
  const digest = createHmac('sha256', salt).update(text, 'utf16le').digest('base64url');
  return `${prefix}${digest.slice(0, 22)}`;
}

const prefix = 'masked:';

/** Reports whether a request has digests in place of values of a Secret, so that no server may receive it. */
export const holdsMasked = (type: ResourceType, sent: Manifest | readonly JsonObject[]): boolean =>
  isSameType(type, secret) &&
  'metadata' in sent &&
  isMap(sent.data) &&
  Object.values(sent.data).some((value) => typeof value === 'string' && value.startsWith(prefix));

/** Masks annotations except a grant, which decides who may read the Secret. */
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

function cut(value: Json | undefined, levels: number): Json | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item: Json) => cut(item, levels - 1) ?? null);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, cut(inner, levels - 1)]),
  );
}
