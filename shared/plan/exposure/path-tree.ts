/**
 * A multiset of paths. Two paths overlap if they can serve the same request: they are equal, one is an ancestor of the
 * other, or one has a form that our kinds do not write. Such a path may serve any request.
 */
export class PathTree {
  readonly #at = new Map<string, number>();
  readonly #below = new Map<string, number>();
  #unrecognized = 0;
  #size = 0;

  add(path: string): void {
    this.#count(path, 1);
  }

  remove(path: string): void {
    this.#count(path, -1);
  }

  overlaps(path: string): boolean {
    const served = servedPathOf(path);
    const hasBelow = served !== undefined && (this.#below.get(served) ?? 0) > 0;
    return hasBelow || this.hasAtOrAbove(path);
  }

  /** Reports whether a path in the tree may serve a request for `path`. */
  hasAtOrAbove(path: string): boolean {
    const served = servedPathOf(path);
    if (served === undefined || this.#unrecognized > 0) return this.#size > 0;
    return selfAndAncestors(served).some((above) => (this.#at.get(above) ?? 0) > 0);
  }

  #count(path: string, by: 1 | -1): void {
    this.#size += by;
    const served = servedPathOf(path);
    if (served === undefined) {
      this.#unrecognized += by;
      return;
    }
    this.#at.set(served, (this.#at.get(served) ?? 0) + by);
    for (const above of selfAndAncestors(served))
      this.#below.set(above, (this.#below.get(above) ?? 0) + by);
  }
}

const segment = String.raw`(?:[a-z0-9_-]|\\\.)+`;
const prefix = `((?:/${segment}){2})`;
const root = new RegExp(String.raw`^${prefix}\(\?:/\(\.\*\)\)\?\$$`);
const below = new RegExp(String.raw`^${prefix}/\((${segment}(?:/${segment})*)\(\?:/\.\*\)\?\)\$$`);

/** Returns the path at and below which a pattern matches; undefined if no kind of ours writes such a pattern. */
export function servedPathOf(pattern: string): string | undefined {
  const atRoot = root.exec(pattern);
  if (atRoot !== null) return atRoot[1];
  const found = below.exec(pattern);
  return found === null ? undefined : `${found[1]}/${found[2]}`;
}

function selfAndAncestors(path: string): readonly string[] {
  const paths: string[] = [];
  for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1))
    paths.push(path.slice(0, at));
  return paths;
}
