type Fields = Readonly<Record<string, unknown>>;

/** Overrides for a builder: maps field by field, everything else as a whole. */
export type Override<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Override<T[K]> | undefined }
    : T;

/** Merges `over` into `base`; a field overridden with undefined is removed. */
export function merge<T>(base: T, over: unknown): T {
  if (!isMap(base) || !isMap(over)) return over as T;
  const merged: Record<string, unknown> = { ...base };
  for (const [field, value] of Object.entries(over)) {
    if (value === undefined) delete merged[field];
    else merged[field] = field in base ? merge(base[field], value) : value;
  }
  return merged as T;
}

const isMap = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
