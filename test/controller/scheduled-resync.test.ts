import { expect, onTestFinished, test, vi } from 'vitest';
import type { Reconciler } from '../../shared/controller/reconciler.ts';
import { failureOf } from '../../shared/controller/request-errors.ts';
import { resyncOrFanOut } from '../../shared/controller/scheduled-resync.ts';
import { metadata, startApiEndpoint, status } from '../support/api-endpoint.ts';
import { kinds } from '../support/config.ts';
import { reconcilerAgainst } from '../support/reconciler.ts';

const names = kinds.map(({ kind }) => kind).join(', ');

test.each([
  ['a kind that is not reconciled', {}, { kind: 'pods' }, ''],
  [
    'a namespace outside the configured ones',
    { NAMESPACES: 'team-a,team-b' },
    { namespace: 'other' },
    ' in team-a, team-b',
  ],
])('a resync for %s is refused before a run begins', async (_, env, request, where) => {
  const { reconciler } = reconcilerAgainst('https://10.0.0.1', env);
  const error = await resyncOrFanOut(reconciler, request).catch((cause: unknown) => cause);
  expect(failureOf(error)).toMatchObject({
    kind: 'invalid',
    message: `the request selects nothing: this function reconciles ${names}${where}`,
    isLogged: false,
  });
  await reconciler.close();
});

test('C-10 the time that a resync waits for a slot counts against its deadline', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { reconciler: made } = reconcilerAgainst('https://10.0.0.1', { DEADLINE_SECONDS: '120' });
  const deadlines: number[] = [];
  const reconciler: Reconciler = {
    ...made,
    enqueue: (_, { act, input }) => {
      vi.setSystemTime(Date.now() + 50_000);
      return act([input], () => undefined);
    },
    begin: async (trigger, arrived) => {
      const run = await made.begin(trigger, arrived);
      deadlines.push(run.limits.deadline);
      throw new Error('begun');
    },
  };
  const arrived = Date.now();
  await expect(resyncOrFanOut(reconciler, { namespace: 'a' })).rejects.toThrow('begun');
  expect(deadlines).toEqual([arrived + 120_000]);
  await made.close();
});

async function fanOutAgainst(respond: Parameters<typeof startApiEndpoint>[0]) {
  const { url } = await startApiEndpoint(respond);
  const env = { KINDS: 'Foo', NAMESPACES: 'team-a,team-b' };
  const { reconciler: made, logged } = reconcilerAgainst(url, env);
  onTestFinished(made.close);
  const platform = { ...made.config.platform, publish: async () => undefined };
  return { reconciler: { ...made, config: { ...made.config, platform } }, logged };
}

const failure = { kind: 'foos.example.com', namespace: 'team-a' };

test.each([
  ['and the other has resources', [{ metadata: { ...metadata('x'), namespace: 'team-b' } }]],
  ['and the other has none', []],
])(
  'C-11 with fan-out and NAMESPACES a failed list is reported with its namespace, %s',
  async (_, items) => {
    const { reconciler, logged } = await fanOutAgainst(({ path }) =>
      path.includes('/team-a/') ? status(403, 'Forbidden') : { body: { items, metadata: {} } },
    );
    expect(await resyncOrFanOut(reconciler, {})).toMatchObject({
      reconcileRequests: items.map(({ metadata: { namespace } }) => ({ namespace })),
      incomplete: [failure],
    });
    expect(logged).toContainEqual(
      expect.objectContaining({ ...failure, severity: 'ERROR', message: 'kind not listed' }),
    );
  },
);

test('C-11 with fan-out a resync fails if nothing could be listed', async () => {
  const { reconciler } = await fanOutAgainst(() => status(403, 'Forbidden'));
  const error = await resyncOrFanOut(reconciler, {}).catch((cause: unknown) => cause);
  expect(failureOf(error).kind).toBe('transient');
});
