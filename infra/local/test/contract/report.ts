import { createClient } from '../../client.ts';
import { startLocalCluster } from '../../cluster.ts';
import { chooseRelease } from '../../control-plane/release.ts';
import { startControlPlane } from '../../control-plane/start.ts';
import { allCases } from './all-cases.ts';
import { registerDefinitions } from './definitions.ts';
import { type Runner, runCase } from './run-case.ts';
import type { StartedTarget } from './run-contract.ts';
import { users } from './users.ts';

/**
 * Runs the contract on the local cluster and on the real one, and prints the differences. Exits with 1 if any
 * case fails on either.
 */
const width = 8;

async function judge(target: StartedTarget): Promise<ReadonlyMap<string, string | undefined>> {
  const client = createClient(target);
  const { minor, patienceMilliseconds } = target;
  const runner: Runner = { client, minor, patienceMilliseconds };
  await registerDefinitions(client);
  const waiting = [...allCases].flatMap(([area, cases]) =>
    cases.map((given) => ({ given, name: `${area}-${given.id}` })),
  );
  const verdicts = new Map<string, string | undefined>();
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { given, name } = next;
      const verdict = await runCase(given, { name }, runner).then(
        () => undefined,
        (error: Error) => error.message,
      );
      verdicts.set(name, verdict);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  await client.close();
  return verdicts;
}

async function startLocal(): Promise<StartedTarget> {
  const byUser = Object.fromEntries(users.map((user) => [user, `token-of-${user}`]));
  const tokens = Object.fromEntries(users.map((user) => [byUser[user], { username: user }]));
  const { url, stop } = await startLocalCluster({ tokens });
  const { minor } = chooseRelease();
  return { url, stop, minor, tokens: byUser, patienceMilliseconds: 3_000 };
}

async function startReal(): Promise<StartedTarget> {
  const { tokens, release, ...controlPlane } = await startControlPlane({});
  // The real garbage collector looks for new kinds every 30 s.
  const { minor } = release;
  return { ...controlPlane, minor, token: tokens.admin, tokens, patienceMilliseconds: 45_000 };
}

const targets = [await startLocal(), await startReal()] as const;
const [local, real] = await Promise.all([judge(targets[0]), judge(targets[1])]);
for (const target of targets) await target.stop();

const shown = (verdict: string | undefined): string =>
  verdict === undefined ? 'as the case says' : verdict.split('\n').slice(1).join('\n    ');
const wrong = [...real.keys()]
  .filter((name) => local.get(name) !== undefined || real.get(name) !== undefined)
  .sort();
for (const name of wrong) {
  console.log(`${name}\n  local: ${shown(local.get(name))}\n  real:  ${shown(real.get(name))}`);
}
console.log(`${real.size} cases, ${wrong.length} not as they say on both`);
process.exit(wrong.length === 0 ? 0 : 1);
