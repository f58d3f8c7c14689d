import { canonicalJson, isMap } from '../canonical.ts';
import { secretDigestAnnotation } from '../kinds/names.ts';
import type { Json } from '../kubernetes.ts';

/** Stands for a value that must not leave the process. */
const secret = '(secret)';
/** Stands for a secret value that will replace another. */
export const secretChanged = '(secret changed)';

interface Values {
  readonly path: string;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

/**
 * The difference without values of Secret data or digests of them.
 *
 * Guarantees: what was absent stays undefined, what was equal stays equal; of a Secret nothing but
 * its type and metadata is shown, whatever fields it may get.
 * Caveats: a difference only; `Decision.fields` and `handOver` hold the values, to be sent.
 */
export function conceal<T extends Values>(kind: string, difference: T): T {
  const { path, from, to } = difference;
  if (isHidden(kind, path)) return { ...difference, ...stamped(from, to) };
  if (!isContainer(from) && !isContainer(to)) return difference;
  return { ...difference, ...veiled(from, to) };
}

export const isConcealed = ({ from, to }: Pick<Values, 'from' | 'to'>): boolean =>
  from === secret || to === secretChanged;

/** Annotations that repeat the object's values, or a digest of a Secret's. */
const tellingAnnotations = [
  secretDigestAnnotation,
  'kubectl.kubernetes.io/last-applied-configuration',
];

const shownOfSecrets = /^(?:type$|immutable$|metadata\.(?!annotations$))/;

const isHidden = (kind: string, path: string): boolean =>
  (kind === 'Secret' && !shownOfSecrets.test(path)) ||
  tellingAnnotations.some((name) => path.endsWith(`annotations.${name}`));

type Pair = Pick<Values, 'from' | 'to'>;

function stamped(from: Json | undefined, to: Json | undefined): Pair {
  const isEqual = canonicalJson(from) === canonicalJson(to);
  return {
    from: from === undefined ? undefined : secret,
    to: to === undefined ? undefined : isEqual ? secret : secretChanged,
  };
}

/** Containers with their secret fields masked. */
function veiled(from: Json | undefined, to: Json | undefined): Pair {
  if (!isContainer(from) && !isContainer(to)) return { from, to };
  const veil = (name: string, a: Json | undefined, b: Json | undefined): Pair =>
    tellingAnnotations.includes(name) ? stamped(a, b) : veiled(a, b);
  return {
    from: mapped(from, (name, value) => veil(name, value, at(to, name)).from),
    to: mapped(to, (name, value) => veil(name, at(from, name), value).to),
  };
}

const isContainer = (value: Json | undefined): boolean =>
  typeof value === 'object' && value !== null;

function mapped(
  value: Json | undefined,
  change: (name: string, inner: Json | undefined) => Json | undefined,
): Json | undefined {
  if (Array.isArray(value))
    return value.map((inner: Json, index) => change(String(index), inner) ?? null);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, change(name, inner)]),
  );
}

const at = (value: Json | undefined, name: string): Json | undefined =>
  isContainer(value) ? (value as Readonly<Record<string, Json>>)[name] : undefined;
