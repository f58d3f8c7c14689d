import { startLocalCluster } from '../../cluster.ts';
import { chooseRelease } from '../../control-plane/release.ts';
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
