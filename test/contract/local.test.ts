import { startLocalCluster } from '../../infra/local/cluster.ts';
import { runContract } from './run-contract.ts';

import { users } from './users.ts';

runContract(async () => {
  const tokens = Object.fromEntries(
    users.map((username) => [`token-of-${username}`, { username }]),
  );
  const { url, stop } = await startLocalCluster({ tokens });
  const byUser = Object.fromEntries(users.map((user) => [user, `token-of-${user}`]));
  return { url, stop, tokens: byUser, patienceMilliseconds: 3_000 };
});
