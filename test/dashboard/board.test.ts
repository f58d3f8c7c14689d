import { describe, expect, it } from 'vitest';
import type { SyncState } from '../../infra/actions/sync-state.ts';
import { createBoard, deltaOf } from '../../infra/dashboard/board.ts';
import type {
  DashboardSnapshot,
  Messages,
  ResourceView,
  RunTimeline,
} from '../../infra/dashboard/views.ts';

const view = (id: string, state: SyncState['state'] = 'InSync'): ResourceView => ({
  id,
  kind: 'Foo',
  resource: 'foos.example.com',
  namespace: 'a',
  name: id,
  generation: 1,
  suspended: false,
  deleting: false,
  first: false,
  sync: { state },
  conditions: [],
  children: [],
});
const snapshot = (...resources: readonly ResourceView[]): DashboardSnapshot => ({
  at: Date.now(),
  durationMs: 1,
  requests: 2,
  failures: [],
  rollouts: [],
  resources,
});

describe('the difference between two snapshots', () => {
  const cases = {
    Same: [['a', 'b'], ['b', 'a'], [], []],
    Added: [['a'], ['a', 'b'], ['b'], []],
    Removed: [['a', 'b'], ['b'], [], ['a']],
  } as const;
  it.each(Object.entries(cases))('%s', (_, [before, after, changed, removed]) => {
    const of = (ids: readonly string[]) => snapshot(...ids.map((id) => view(id)));
    const delta = deltaOf(of(before), of(after));
    expect(delta.changed.map(({ id }) => id)).toEqual(changed);
    expect(delta.removed).toEqual(removed);
    expect(delta).not.toHaveProperty('resources');
  });

  it('contains a resource whose state changed', () => {
    const { changed } = deltaOf(
      snapshot(view('a'), view('b')),
      snapshot(view('a'), view('b', 'Drifted')),
    );
    expect(changed).toEqual([view('b', 'Drifted')]);
  });
});

/** Opens a board whose reads are resolved by the test. */
function openBoard({
  timeline = () => ({ source: 'processes', runs: [] }),
  ...pace
}: {
  leastGapMs?: number;
  mostAgeMs?: number;
  retryMs?: number;
  timeline?: () => Promise<RunTimeline> | RunTimeline;
} = {}) {
  const reads: PromiseWithResolvers<DashboardSnapshot>[] = [];
  let wake = Promise.withResolvers<void>();
  const watches = { begun: 0, open: 0 };
  const board = createBoard({
    read() {
      const read = Promise.withResolvers<DashboardSnapshot>();
      reads.push(read);
      wake.resolve();
      wake = Promise.withResolvers();
      return read.promise;
    },
    timeline,
    watch() {
      watches.begun++;
      watches.open++;
      return () => watches.open--;
    },
    leastGapMs: 1,
    mostAgeMs: 3_600_000,
    retryMs: 3_600_000,
    ...pace,
  });
  const sent: { name: keyof Messages; message: unknown }[] = [];
  const names = () => sent.map(({ name }) => name);
  return {
    board,
    reads,
    watches,
    names,
    subscribe: () => board.subscribe((name, message) => sent.push({ name, message })),
    /** Resolves with the nth read once it has begun. */
    async begun(count: number) {
      while (reads.length < count) await wake.promise;
      return reads[count - 1]!;
    },
  };
}

const turns = () => new Promise((resolve) => setImmediate(resolve));

describe('the watch of the cluster', () => {
  it('is open once for all pages, while there are any', () => {
    const { watches, subscribe } = openBoard();
    expect(watches).toEqual({ begun: 0, open: 0 });
    const ends = [subscribe(), subscribe()];
    expect(watches).toEqual({ begun: 1, open: 1 });
    ends[0]?.();
    expect(watches).toEqual({ begun: 1, open: 1 });
    ends[1]?.();
    expect(watches).toEqual({ begun: 1, open: 0 });
    subscribe()();
    expect(watches).toEqual({ begun: 2, open: 0 });
  });

  it('ends when the board is stopped', () => {
    const { board, watches, subscribe } = openBoard();
    const end = subscribe();
    board.stop();
    end();
    expect(watches).toEqual({ begun: 1, open: 0 });
  });
});

describe('the dashboard reads the cluster', () => {
  it('once for all open pages, and not before the first', async () => {
    const { board, reads, subscribe } = openBoard();
    board.touch();
    await turns();
    expect(reads).toHaveLength(0);
    subscribe();
    subscribe();
    expect(reads).toHaveLength(1);
    board.stop();
  });

  it('once more after any number of changes during a read', async () => {
    const { board, reads, subscribe, begun, names } = openBoard();
    subscribe();
    for (let times = 0; times < 100; times++) board.touch();
    expect(reads).toHaveLength(1);
    reads[0]?.resolve(snapshot(view('a')));
    (await begun(2)).resolve(snapshot(view('a', 'Drifted')));
    await turns();
    expect(reads).toHaveLength(2);
    expect(names()).toEqual(['snapshot', 'timeline', 'delta', 'timeline']);
    board.stop();
  });

  it('at least every mostAgeMs while a page is open', async () => {
    const { board, reads, subscribe, begun } = openBoard({ mostAgeMs: 1 });
    const end = subscribe();
    for (const count of [1, 2, 3]) (await begun(count)).resolve(snapshot());
    await begun(4);
    end();
    reads[3]?.resolve(snapshot());
    await turns();
    await turns();
    expect(reads).toHaveLength(4);
    board.stop();
  });

  it('again after a failure, which is sent with its reason, and sends the next snapshot as a whole', async () => {
    const { board, subscribe, begun, names } = openBoard({ retryMs: 1 });
    subscribe();
    (await begun(1)).resolve(snapshot(view('a')));
    board.touch();
    (await begun(2)).reject(new Error('no response'));
    (await begun(3)).resolve(snapshot(view('a')));
    await turns();
    expect(names()).toEqual(['snapshot', 'timeline', 'unread', 'snapshot', 'timeline']);
    board.stop();
  });

  it('at the usual interval, and sends a delta, if the runs cannot be read', async () => {
    const timeline = async () => {
      throw new Error('events is forbidden');
    };
    const { board, subscribe, begun, names } = openBoard({ timeline, mostAgeMs: 1 });
    subscribe();
    (await begun(1)).resolve(snapshot(view('a')));
    (await begun(2)).resolve(snapshot(view('a', 'Drifted')));
    await begun(3);
    expect(names()).toEqual(['snapshot', 'delta']);
    board.stop();
  });

  it('for a refresh, which waits for a read that began after it', async () => {
    const { board, subscribe, begun } = openBoard();
    subscribe();
    const refreshed = board.refresh().then(() => 'refreshed');
    (await begun(1)).resolve(snapshot());
    const second = await begun(2);
    expect(await Promise.race([refreshed, turns().then(() => 'waiting')])).toBe('waiting');
    second.resolve(snapshot());
    expect(await refreshed).toBe('refreshed');
    board.stop();
  });
});
