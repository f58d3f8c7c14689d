import { selfAndAncestors, servedPathOf } from './served-path.ts';

/**
 * A multiset of paths. Two paths overlap if they can answer the same request: they are equal, one is an
 * ancestor of the other, or one does not have the form of our kinds' paths and so may match any request.
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

  /** Reports whether a path in the tree may answer a request for `path`. */
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
