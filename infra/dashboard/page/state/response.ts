import { useEffect, useState } from 'preact/hooks';
import { postJson } from './store.ts';

interface Posted<T> {
  readonly response?: T;
  readonly problem?: string;
  readonly again: () => void;
}

/** Posts on the first render, and again whenever `since` changes or `again` is called. */
export function usePosted<T>(path: string, body: object, since: unknown): Posted<T> {
  const [known, setKnown] = useState<Omit<Posted<T>, 'again'>>({});
  const [times, setTimes] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    postJson<T>(path, body).then(
      (response) => isCurrent && setKnown({ response }),
      ({ message }: Error) => isCurrent && setKnown({ problem: message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [since, times]);
  return { ...known, again: () => setTimes(times + 1) };
}
