const segment = String.raw`(?:[a-z0-9_-]|\\\.)+`;
const prefix = `((?:/${segment}){2})`;
const root = new RegExp(String.raw`^${prefix}\(\?:/\(\.\*\)\)\?\$$`);
const below = new RegExp(String.raw`^${prefix}/\((${segment}(?:/${segment})*)\(\?:/\.\*\)\?\)\$$`);

/**
 * The path below which a pattern matches, `/<namespace>/<name>/a/b`; undefined
 * for a pattern that no kind of ours writes, as it may match any request.
 */
export function servedPathOf(unmarkedPattern: string): string | undefined {
  const atRoot = root.exec(unmarkedPattern);
  if (atRoot !== null) return atRoot[1];
  const found = below.exec(unmarkedPattern);
  return found === null ? undefined : `${found[1]}/${found[2]}`;
}

/** A place and those above it, deepest first. */
export function selfAndAncestors(place: string): readonly string[] {
  const places: string[] = [];
  for (let at = place.length; at > 0; at = place.lastIndexOf('/', at - 1))
    places.push(place.slice(0, at));
  return places;
}
