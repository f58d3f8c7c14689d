const segment = String.raw`(?:[a-z0-9_-]|\\\.)+`;
const prefix = `((?:/${segment}){2})`;
const root = new RegExp(String.raw`^${prefix}\(\?:/\(\.\*\)\)\?\$$`);
const below = new RegExp(String.raw`^${prefix}/\((${segment}(?:/${segment})*)\(\?:/\.\*\)\?\)\$$`);

/**
 * Returns the path at and below which a pattern matches, such as `/<namespace>/<name>/a/b`. Returns undefined
 * for a pattern that our kinds do not write, which may match any request.
 */
export function servedPathOf(unmarkedPattern: string): string | undefined {
  const atRoot = root.exec(unmarkedPattern);
  if (atRoot !== null) return atRoot[1];
  const found = below.exec(unmarkedPattern);
  return found === null ? undefined : `${found[1]}/${found[2]}`;
}

/** Returns a path and its ancestors, deepest first. */
export function selfAndAncestors(path: string): readonly string[] {
  const paths: string[] = [];
  for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1))
    paths.push(path.slice(0, at));
  return paths;
}
