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

/** The maximum depth to record: deeper than a run reads, but shallow enough for the stack of JSON.stringify. */
const maxLevels = 450;

/**
 * Replaces each value of a Secret with a digest, salted for each recording: equal values have equal digests.
 *
 * Guarantees: keeps no value of a Secret or of its annotations, except `readable-by`.
 * Caveats: keeps the unsalted digest of a Secret that kinds may read, because children may contain it.
 */
export function recordedObject(
  type: ResourceType,
  live: KubeObject,
  { salt, isReference }: { readonly salt: string; readonly isReference: boolean },
): JsonObject {
  if (!isSameType(type, secret)) return cut(live, maxLevels) as JsonObject;
  const digest = isReference ? digestOf(live) : undefined;
  const { apiVersion, kind, metadata, type: secretType, immutable, data, ...others } = live;
  const masked = (fields: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, maskedText(salt, value)]),
    );
  const { annotations, ...shown } = cut(metadata, maxLevels) as JsonObject;
  const kept = isMap(annotations)
    ? {
        ...masked(annotations),
        ...present({ [readableByAnnotation]: annotations[readableByAnnotation] }),
      }
    : undefined;
  return {
    apiVersion,
    kind,
    metadata: { ...shown, ...present({ annotations: kept }) },
    ...present({
      type: typeof secretType === 'string' ? secretType : undefined,
      immutable: typeof immutable === 'boolean' ? immutable : undefined,
      data: isMap(data) ? masked(data) : undefined,
    }),
    ...masked(others),
    ...present({ digest }),
  };
}

export function maskedText(salt: string, value: Json | undefined): string {
  const text = canonicalJson(cut(value, maxLevels));
  const digest = createHmac('sha256', salt).update(text, 'utf16le').digest('base64url');
  return `${prefix}${digest.slice(0, 22)}`;
}

const prefix = 'masked:';

/** Reports whether the manifest is a Secret with digests in place of values, which must not be sent. */
export const holdsMasked = (type: ResourceType, sent: Manifest | readonly JsonObject[]): boolean =>
  isSameType(type, secret) &&
  'metadata' in sent &&
  isMap(sent.data) &&
  Object.values(sent.data).some((value) => typeof value === 'string' && value.startsWith(prefix));

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
