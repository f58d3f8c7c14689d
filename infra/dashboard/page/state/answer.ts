import { useEffect, useState } from 'preact/hooks';
import { postJson } from './store.ts';

interface Answered<T> {
  readonly answer?: T;
  readonly problem?: string;
  readonly again: () => void;
}

/** Posts at once, again whenever `since` changes, and when asked to. Keeps the last answer meanwhile. */
export function useAnswer<T>(path: string, body: object, since: unknown): Answered<T> {
  const [known, setKnown] = useState<Omit<Answered<T>, 'again'>>({});
  const [times, setTimes] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    postJson<T>(path, body).then(
      (answer) => isCurrent && setKnown({ answer }),
      ({ message }: Error) => isCurrent && setKnown({ problem: message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [since, times]);
  return { ...known, again: () => setTimes(times + 1) };
}
