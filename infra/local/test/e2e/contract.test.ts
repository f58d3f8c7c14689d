import { startControlPlane } from '../../control-plane/start.ts';
import { runContract } from '../contract/run-contract.ts';

runContract(async () => {
  // The real garbage collector looks for new kinds every 30 s.
  const patienceMilliseconds = 45_000;
  const { tokens, release, ...controlPlane } = await startControlPlane({});
  const { minor } = release;
  return { ...controlPlane, minor, token: tokens.admin, tokens, patienceMilliseconds };
});
