import { canonicalJson, isMap } from '../../canonical.ts';
import { secretDigestAnnotation } from '../../kinds/names.ts';
import { secretDigestPrefix } from '../../kinds/reads.ts';
import type { Json } from '../../kubernetes.ts';

/** Shown in place of a secret value. */
const secret = '(secret)';
/** Shown in place of a secret value that replaces another one. */
export const secretChanged = '(secret changed)';

interface Values {
  readonly path: string;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

/**
 * Masks values of Secret data, and their digests, in a difference.
 *
 * Guarantees: an absent value stays undefined, and equal values stay equal. A Secret shows only type,
 * immutable and metadata, whatever fields the API may add. Caveats: masks only differences; `Decision.fields`
 * and `handOver` contain the real values.
 */
export function conceal<T extends Values>(kind: string, difference: T): T {
  const { path, from, to } = difference;
  return { ...difference, ...(isHidden(kind, path) ? masked(from, to) : maskedInside(from, to)) };
}

export const isConcealed = ({ from, to }: Pick<Values, 'from' | 'to'>): boolean =>
  from === secret || to === secretChanged;

/** Annotations that contain the object's values, or a digest of a Secret's. */
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

type Pair = Pick<Values, 'from' | 'to'>;

function masked(from: Json | undefined, to: Json | undefined): Pair {
  const isEqual = canonicalJson(from) === canonicalJson(to);
  return {
    from: from === undefined ? undefined : secret,
    to: to === undefined ? undefined : isEqual ? secret : secretChanged,
  };
}

/** Masks digests and secret fields at any depth of the two values. */
function maskedInside(from: Json | undefined, to: Json | undefined): Pair {
  if (isDigest(from) || isDigest(to)) return masked(from, to);
  const pairs = new Map<string, Pair>();
  for (const name of [...namesIn(from), ...namesIn(to)]) {
    if (pairs.has(name)) continue;
    const mask = revealingAnnotations.includes(name) ? masked : maskedInside;
    pairs.set(name, mask(at(from, name), at(to, name)));
  }
  return {
    from: mapped(from, (name) => pairs.get(name)?.from),
    to: mapped(to, (name) => pairs.get(name)?.to),
  };
}

const namesIn = (value: Json | undefined): readonly string[] =>
  isContainer(value) ? Object.keys(value as object) : [];

const isContainer = (value: Json | undefined): boolean =>
  typeof value === 'object' && value !== null;

function mapped(
  value: Json | undefined,
  inner: (name: string) => Json | undefined,
): Json | undefined {
  if (Array.isArray(value)) return value.map((_, index) => inner(String(index)) ?? null);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.keys(value).map((name) => [name, inner(name)]));
}

const at = (value: Json | undefined, name: string): Json | undefined =>
  isContainer(value) ? (value as Readonly<Record<string, Json>>)[name] : undefined;
