import { isSameJson } from '../../canonical.ts';
import type { ChangedField } from '../../kinds/impact.ts';
import { secretDigestAnnotation } from '../../kinds/names.ts';
import { secretDigestPrefix } from '../../kinds/reads.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';

const secret = '(secret)';
export const secretChanged = '(secret changed)';

/**
 * Masks values of Secrets, and their digests, in a difference.
 *
 * Guarantees: an absent value stays undefined, and equal values stay equal. A Secret shows only `type`,
 * `immutable` and `metadata`, whatever fields the API may add.
 * Caveats: `Decision.fields` and `kept` still contain the values.
 */
export function conceal<T extends ChangedField>(kind: string, difference: T): T {
  const { path, from, to } = difference;
  const mask = isHidden(kind, path) ? masked : maskedInside;
  return { ...difference, from: mask(from, to, secret), to: mask(to, from, secretChanged) };
}

export const isConcealed = ({ from, to }: Pick<ChangedField, 'from' | 'to'>): boolean =>
  from === secret || to === secretChanged;

/** Annotations that repeat values of their object, or contain the digest of a Secret. */
const revealingAnnotations = [
  secretDigestAnnotation,
  'kubectl.kubernetes.io/last-applied-configuration',
];

const shownOfSecrets = /^(?:type$|immutable$|metadata\.(?!annotations$))/;

const isHidden = (kind: string, path: string): boolean =>
  (kind === 'Secret' && !shownOfSecrets.test(path)) ||
  revealingAnnotations.some((name) => path.endsWith(`annotations.${name}`));

/** Reports whether a value contains the digest of a Secret, which a kind may put anywhere. */
const isDigest = (value: Json | undefined): boolean =>
  typeof value === 'string' && value.includes(secretDigestPrefix);

function masked(
  value: Json | undefined,
  other: Json | undefined,
  changed: string,
): string | undefined {
  if (value === undefined) return undefined;
  return isSameJson(value, other) ? secret : changed;
}

function maskedInside(
  value: Json | undefined,
  other: Json | undefined,
  changed: string,
): Json | undefined {
  if (isDigest(value) || isDigest(other)) return masked(value, other, changed);
  if (!isContainer(value)) return value;
  const inside = Object.entries(value).map(([name, inner]) => {
    const mask = revealingAnnotations.includes(name) ? masked : maskedInside;
    return [name, mask(inner, isContainer(other) ? other[name] : undefined, changed)] as const;
  });
  return Array.isArray(value)
    ? inside.map(([, inner]) => inner ?? null)
    : Object.fromEntries(inside);
}

const isContainer = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null;
