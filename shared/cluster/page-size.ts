/** The size to request for the next page of a list. */
export interface PageSize {
  readonly limit: number;
  /** Number of pages in a row that were not too large. */
  readonly fitted: number;
}

const most = 500;

export const firstPage: PageSize = { limit: most, fitted: 0 };

/** Returns the size to request after a page that was too large. */
export const smaller = ({ limit }: PageSize): PageSize => ({
  limit: Math.max(1, Math.floor(limit / 4)),
  fitted: 0,
});

/**
 * Returns the size to request after a page that was not too large. It grows only after four such pages,
 * because large objects are often neighbours.
 */
export const larger = ({ limit, fitted }: PageSize): PageSize =>
  fitted < 3 ? { limit, fitted: fitted + 1 } : { limit: Math.min(most, 2 * limit), fitted: 0 };
