import type { TUnsafe } from 'typebox';

/** An amount, such as `500m`, `2Gi` or `3`; never negative. Fractions are strings, such as `"0.5"`. */
export const Quantity = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
  minimum: 0,
  maxLength: 32,
  pattern: '^\\+?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,2})?$',
} as object as TUnsafe<number | string>;

/** A number, a name or a percentage, such as `80`, `http` or `25%`. */
export const IntOrString = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
  minimum: -(2 ** 31),
  maximum: 2 ** 31 - 1,
} as object as TUnsafe<number | string>;

/** A number, or a percentage of at most 100, such as `1` or `25%`; never negative. */
export const IntOrPercent = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
  minimum: 0,
  maximum: 2 ** 31 - 1,
  pattern: '^(100|[0-9]{1,2})%$',
} as object as TUnsafe<number | string>;

/** The number of a port, or the name that a container gives it. */
export const portOrName = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
  minimum: 1,
  maximum: 65_535,
  maxLength: 15,
  pattern: '^([0-9]-?)*[a-z](-?[a-z0-9])*$',
} as object as TUnsafe<number | string>;

/** The pods' port to which a Service sends requests; 0 and the empty string mean the Service's own port. */
export const targetPort = {
  ...portOrName,
  minimum: 0,
  pattern: '^$|^([0-9]-?)*[a-z](-?[a-z0-9])*$',
} as object as TUnsafe<number | string>;

/** A time span in Go's notation, such as `90s` or `1h30m`; `secondsIn` converts it. */
export const Duration = {
  type: 'string',
  maxLength: 64,
  pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h))+$',
} as object as TUnsafe<string>;

const milliseconds: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Converts a `Duration` to seconds, rounded up, because Kubernetes' own fields are in whole seconds. */
export function secondsIn(duration: string): number {
  const parts = duration.matchAll(/([\d.]+)(ns|us|ms|s|m|h)/g);
  const all = Array.from(
    parts,
    ([, count, unit = '']) => Number(count) * (milliseconds[unit] ?? 0),
  );
  return Math.ceil(all.reduce((sum, part) => sum + part, 0) / 1_000);
}

/** A signed 32-bit integer. */
export const int32 = { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } as object;
