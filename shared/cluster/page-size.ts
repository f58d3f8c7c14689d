/** The limit for the next page of a list. */
export interface PageSize {
  readonly limit: number;
  /** Pages in a row that were not too large. */
  readonly fitted: number;
}

const most = 500;

export const firstPage: PageSize = { limit: most, fitted: 0 };

/** After a page that was too large. */
export const smaller = ({ limit }: PageSize): PageSize => ({
  limit: Math.max(1, Math.floor(limit / 4)),
  fitted: 0,
});

/** After one that was not. Large objects tend to be neighbours, so the limit grows again only after four pages. */
export const larger = ({ limit, fitted }: PageSize): PageSize =>
  fitted < 3 ? { limit, fitted: fitted + 1 } : { limit: Math.min(most, 2 * limit), fitted: 0 };
