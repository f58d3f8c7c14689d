const segment = String.raw`(?:[a-z0-9_-]|\\\.)+`;
const prefix = `((?:/${segment}){2})`;
const root = new RegExp(String.raw`^${prefix}\(\?:/\(\.\*\)\)\?\$$`);
const below = new RegExp(String.raw`^${prefix}/\((${segment}(?:/${segment})*)\(\?:/\.\*\)\?\)\$$`);

/** Returns the path whose whole subtree a pattern serves; undefined for a pattern that no kind writes. */
export function servedPathOf(pattern: string): string | undefined {
  const atRoot = root.exec(pattern);
  if (atRoot !== null) return atRoot[1];
  const found = below.exec(pattern);
  return found === null ? undefined : `${found[1]}/${found[2]}`;
}

/** Reports whether the path `by` may serve requests for `path`; true if either path has an unknown form. */
export function mayServe(by: string | undefined, path: string | undefined): boolean {
  return by === undefined || path === undefined || path === by || path.startsWith(`${by}/`);
}
