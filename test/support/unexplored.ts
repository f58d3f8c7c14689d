const nothing: ReadonlyMap<string, never> = new Map<string, never>();

/** The parts of a world that are empty until something is read by name, tried or written. */
export const unexplored = {
  applied: nothing,
  asked: nothing,
  absent: new Set<string>() as ReadonlySet<string>,
  reads: nothing,
  unlisted: nothing,
  unread: nothing,
  givenUp: nothing,
  possiblePaths: nothing,
};
