/** A time as metadata carries it: to the second. */
export const timestamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

/** A time to the microsecond, as Events and Leases carry it. */
export const microTimestamp = (date: Date): string => `${date.toISOString().slice(0, 23)}000Z`;
