import { useEffect, useState } from 'preact/hooks';
import type { DashboardSnapshot, Messages, ResourceView } from '../../views.ts';

export interface Known {
  readonly about?: Messages['about'];
  readonly resources: ReadonlyMap<string, ResourceView>;
  readonly read?: Omit<DashboardSnapshot, 'resources'>;
  readonly timeline?: Messages['timeline'];
  /** The error from the server's last read of the cluster, if it failed. */
  readonly unread?: string;
  /** When the connection to the server was lost. */
  readonly lost?: number;
}

type Handlers = {
  readonly [Name in keyof Messages]: (known: Known, message: Messages[Name]) => Known;
};

const without = ({ unread: _, ...known }: Known): Known => known;

export const handlers: Handlers = {
  about: (known, about) => ({ ...known, about }),
  snapshot: (known, { resources, ...read }) => ({
    ...without(known),
    read,
    resources: new Map(resources.map((one) => [one.id, one])),
  }),
  delta: (known, { changed, removed, ...read }) => {
    if (changed.length + removed.length === 0) return { ...without(known), read };
    const resources = new Map(known.resources);
    for (const one of changed) resources.set(one.id, one);
    for (const id of removed) resources.delete(id);
    return { ...without(known), read, resources };
  },
  timeline: (known, timeline) => ({ ...known, timeline }),
  unread: (known, { message }) => ({ ...known, unread: message }),
};

/** After this time without a message, the connection counts as lost. Heartbeats are 10 s apart. */
const silenceMs = 25_000;

/** Returns what the server has sent so far. If the connection is lost, the EventSource reconnects by itself. */
export function useKnown(): Known {
  const [known, setKnown] = useState<Known>({ resources: new Map() });
  useEffect(() => {
    const source = new EventSource('/stream');
    const lost = (): void => setKnown((now) => (now.lost ? now : { ...now, lost: Date.now() }));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const alive = (): void => {
      clearTimeout(timer);
      timer = setTimeout(lost, silenceMs);
      setKnown(({ lost: _, ...now }) => now);
    };
    for (const name of Object.keys(handlers) as readonly (keyof Messages)[])
      source.addEventListener(name, ({ data }: MessageEvent<string>) => {
        alive();
        const handle = handlers[name] as (known: Known, message: unknown) => Known;
        setKnown((now) => handle(now, JSON.parse(data)));
      });
    source.addEventListener('alive', alive);
    source.addEventListener('error', lost);
    return () => source.close();
  }, []);
  return known;
}

export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

const token = document.querySelector<HTMLMetaElement>('meta[name=token]')?.content ?? '';

/** Throws an Error with the text to show. */
export async function postJson<T>(path: string, body: unknown): Promise<T> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-reconciler-token': token },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Error('The dashboard is not responding: is its process still running?');
  });
  const text = await response.text();
  const result = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {};
  if (!response.ok) throw new Error(result.error ?? text);
  return result as T;
}
