import { expect, test } from 'vitest';
import { startLocalCluster } from '../../cluster.ts';
import { chooseRelease } from '../../control-plane/release.ts';
import { allCases } from './all-cases.ts';
import { changes } from './changes.ts';
import { runContract } from './run-contract.ts';
import { users } from './users.ts';

runContract(async () => {
  const tokens = Object.fromEntries(
    users.map((username) => [`token-of-${username}`, { username }]),
  );
  const { url, stop } = await startLocalCluster({ tokens });
  const byUser = Object.fromEntries(users.map((user) => [user, `token-of-${user}`]));
  const { minor } = chooseRelease();
  return { url, stop, minor, tokens: byUser, patienceMilliseconds: 3_000 };
  // `deep-objects.test.ts` runs these cases, on a smaller stack.
}, ['deep-objects']);

test('each changed case exists', () => {
  const names = [...allCases].flatMap(([area, cases]) => cases.map(({ id }) => `${area}-${id}`));
  expect(names).toEqual(expect.arrayContaining(changes.flatMap(({ cases }) => cases)));
});
