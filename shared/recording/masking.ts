import { createHmac } from 'node:crypto';
import { canonicalJson, isMap } from '../canonical.ts';
import { present } from '../json.ts';
import { secret } from '../kinds/child-types/core.ts';
import { appliedAnnotation } from '../kinds/names.ts';
import {
  isSameType,
  type Json,
  type JsonObject,
  type KubeObject,
  type ResourceType,
} from '../kubernetes.ts';
import { readObjectOf } from '../plan/observed/read-object.ts';
import { readStamp } from '../plan/observed/stamp.ts';

/** Deeper than what is read of any object, and shallow enough for `JSON.stringify`. */
const maxLevels = 450;

/**
 * An object as it is recorded: of a Secret each value is replaced by a digest with the recording's salt.
 *
 * Guarantees: equal values stay equal, and no value of a Secret, nor of its annotations, is kept. What is nested
 * too deeply to be read by a run is cut off where a run stops reading.
 * Caveats: of a Secret that was read by name or whole, the digest that kinds receive is kept, without the salt, as
 * it is on the children that they make with it.
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
  const { annotations, ...shown } = cut(metadata, maxLevels) as unknown as JsonObject;
  return {
    apiVersion,
    kind,
    metadata: {
      ...shown,
      ...(isMap(annotations)
        ? { annotations: { ...mapped(annotations, mask), ...stampAnnotation(live) } }
        : {}),
    },
    ...(typeof secretType === 'string' ? { type: secretType } : {}),
    ...(typeof immutable === 'boolean' ? { immutable } : {}),
    ...(isMap(data) ? { data: mapped(data, mask) } : {}),
    ...mapped(others, mask),
    ...present({ digest }),
  };
}

/** The digest in place of a value of a Secret; a value that is nested too deeply has no other digest than all such. */
export function maskedText(salt: string, value: Json | undefined): string {
  const text = canonicalJson(cut(value, maxLevels));
  const digest = createHmac('sha256', salt).update(text, 'utf16le').digest('base64url');
  return `masked:${digest.slice(0, 22)}`;
}

/** A digest of fields that follow from the recorded resource. */
const stampAnnotation = (live: KubeObject): JsonObject =>
  readStamp(live) === undefined
    ? {}
    : { [appliedAnnotation]: live.metadata.annotations?.[appliedAnnotation] };

const mapped = (fields: JsonObject, mask: (value: Json | undefined) => string): JsonObject =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, mask(value)]));

/** Undefined where it is deeper or larger than what a kind may receive. */
function digestOf(live: KubeObject): string | undefined {
  try {
    return readObjectOf(secret, live).digest;
  } catch {
    return undefined;
  }
}

/** The value without what is below the last level. */
function cut(value: Json | undefined, levels: number): Json | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item: Json) => cut(item, levels - 1) ?? null);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, cut(inner, levels - 1)]),
  );
}
