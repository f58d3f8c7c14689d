/** Under which all that is to be told to watches waits, in its order. */
export interface Ice {
  /** Freezes; the answer thaws. As often frozen, as often it has to be thawed. */
  readonly freeze: () => () => void;
  /** Thaws, however often it was frozen. */
  readonly thaw: () => void;
  /** Does it, or, while frozen, later. */
  readonly pass: (act: () => void) => void;
}

export const createIce = (): Ice => {
  const freezes = new Set<object>();
  let waiting: (() => void)[] = [];
  const flow = (): void => {
    if (freezes.size > 0) return;
    const acts = waiting;
    waiting = [];
    for (const act of acts) act();
  };
  return {
    freeze: () => {
      const own = {};
      freezes.add(own);
      return () => {
        freezes.delete(own);
        flow();
      };
    },
    thaw: () => {
      freezes.clear();
      flow();
    },
    pass: (act) => {
      if (freezes.size > 0) waiting.push(act);
      else act();
    },
  };
};
