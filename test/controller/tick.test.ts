import { expect, onTestFinished, test, vi } from 'vitest';
import { failureOf } from '../../shared/controller/errors.ts';
import type { Reconciler } from '../../shared/controller/reconciler.ts';
import { tick } from '../../shared/controller/tick.ts';
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
])('a Scope of %s is refused before a run begins', async (_, env, scope, where) => {
  const { reconciler } = reconcilerAgainst('https://10.0.0.1', env);
  const error = await tick(reconciler, scope).catch((cause: unknown) => cause);
  expect(failureOf(error)).toEqual({
    kind: 'invalid',
    message: `the scope selects nothing: this function reconciles ${names}${where}`,
    isLogged: false,
  });
  await reconciler.close();
});

test('C-10 the time that a tick waits for its turn counts against its deadline', async () => {
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
      deadlines.push(run.deadline);
      throw new Error('begun');
    },
  };
  const arrived = Date.now();
  await expect(tick(reconciler, { namespace: 'a' })).rejects.toThrow('begun');
  expect(deadlines).toEqual([arrived + 120_000]);
  await made.close();
});
