/** The limit for the next page of a list. */
export interface PageSize {
  readonly limit: number;
  /** Pages in a row that were not too large. */
  readonly fitted: number;
}

const most = 500;

export const firstPage: PageSize = { limit: most, fitted: 0 };

/** The size after a page that was too large. */
export const smaller = ({ limit }: PageSize): PageSize => ({
  limit: Math.max(1, Math.floor(limit / 4)),
  fitted: 0,
});

/** The size after a page that fitted. Large objects tend to be neighbours, so it grows only after four such pages. */
export const larger = ({ limit, fitted }: PageSize): PageSize =>
  fitted < 3 ? { limit, fitted: fitted + 1 } : { limit: Math.min(most, 2 * limit), fitted: 0 };
