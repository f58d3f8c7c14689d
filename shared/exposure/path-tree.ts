import { selfAndAncestors, servedPathOf } from './served-path.ts';

/**
 * A multiset of paths by their places. Two paths overlap where one is the other or is above it: no other
 * two serve the same request. A path that is not of our form overlaps with all.
 */
export class PathTree {
  readonly #at = new Map<string, number>();
  readonly #below = new Map<string, number>();
  #anywhere = 0;
  #size = 0;

  add(path: string): void {
    this.#count(path, 1);
  }

  remove(path: string): void {
    this.#count(path, -1);
  }

  overlaps(path: string): boolean {
    const place = servedPathOf(path);
    if (place === undefined || this.#anywhere > 0) return this.#size > 0;
    return (this.#below.get(place) ?? 0) > 0 || this.hasAtOrAbove(path);
  }

  /** Whether a request for the path may be served by one of these. */
  hasAtOrAbove(path: string): boolean {
    const place = servedPathOf(path);
    if (place === undefined || this.#anywhere > 0) return this.#size > 0;
    return selfAndAncestors(place).some((above) => (this.#at.get(above) ?? 0) > 0);
  }

  #count(path: string, by: 1 | -1): void {
    this.#size += by;
    const place = servedPathOf(path);
    if (place === undefined) {
      this.#anywhere += by;
      return;
    }
    this.#at.set(place, (this.#at.get(place) ?? 0) + by);
    for (const above of selfAndAncestors(place))
      this.#below.set(above, (this.#below.get(above) ?? 0) + by);
  }
}
