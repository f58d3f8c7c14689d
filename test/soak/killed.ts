import { groupResource } from '../../shared/kubernetes.ts';
import type { Report } from '../../shared/resync/report.ts';
import { faultsIn, look } from '../reconcile/desired.ts';
import type { Api } from '../scenarios/api.ts';
import { namespaceType } from '../scenarios/built-in-kinds.ts';
import { eventually } from '../scenarios/eventually.ts';
import type { TestClusterName } from '../scenarios/test-cluster.ts';
import { kinds } from '../support/config.ts';
import type { FunctionProcess } from './function-process.ts';
import { differences, duplicates, interruptedResources, type Outcome } from './killed-outcome.ts';
import { disturbWorld, settleWorld } from './killed-world.ts';
import { namespaceState } from './namespace-state.ts';
import { createRecord, type Record } from './record.ts';
import { openSite, type Site } from './site.ts';
import { provideVolumes } from './volumes.ts';

/** The point at which a run is killed: before or after the server carries out its nth request. */
export interface Death {
  readonly at: number;
  readonly when: 'before' | 'after';
}

export interface Executioner {
  /** Number of requests of an undisturbed run. */
  readonly requests: number;
  /** Kills a run over a new, equal world at this point; resolves with the differences from an undisturbed run. */
  readonly tryDeath: (death: Death) => Promise<readonly string[]>;
  /** Returns the number of killed runs; a run that needs fewer requests may end before. */
  readonly deaths: () => number;
  readonly close: () => Promise<void>;
}

const settings = { SETTLE_SECONDS: '0', LOG_LEVEL: 'ERROR' };

/**
 * Flow: a world is set up and disturbed; a run over it is killed; a new process runs once; resyncs until
 * statuses are up to date; one more resync.
 */
export async function openExecutioner(ground: TestClusterName): Promise<Executioner> {
  const plurals = new Map(kinds.map((kind) => [kind.kind, groupResource(kind)]));
  let armed: { readonly death: Death; readonly victim: FunctionProcess } | undefined;
  let record: Record = createRecord(plurals);
  let sent = 0;
  const isDoomed = (sender: string, number: number, when: Death['when']): boolean =>
    armed?.victim.name === sender && armed.death.at === number && armed.death.when === when;
  const site = await openSite({
    ground,
    collected: false,
    async before({ sender }) {
      if (sender === armed?.victim.name) sent++;
      if (!isDoomed(sender, sent, 'before')) return undefined;
      await armed?.victim.kill('SIGKILL');
      return { kind: 'drop', when: 'before' };
    },
    async after({ sender }) {
      if (isDoomed(sender, sent, 'after')) await armed?.victim.kill('SIGKILL');
    },
    onExchange: (exchange) => record.note(exchange),
  });
  let processes = 0;
  const start = () => site.start({ name: `run-${++processes}`, target: 'resync', env: settings });
  const steady = await start();
  let victim = await start();
  let worlds = 0;
  let deaths = 0;

  async function play(death?: Death): Promise<Outcome> {
    const namespace = `killed-${++worlds}`;
    const nodePort = 30_200 + worlds;
    const next = death === undefined ? undefined : start();
    if (ground === 'real') await provideVolumes(site.api());
    const api = await disturbedWorld({ site, steady }, { namespace, nodePort });
    record = createRecord(plurals);
    sent = 0;
    armed = { victim, death: death ?? { at: 0, when: 'before' } };
    const died = await run(victim, namespace).then(
      () => !victim.isAlive(),
      () => true,
    );
    await site.proxy.idle();
    const requests = sent;
    armed = undefined;
    const unreported = interruptedResources(record);
    if (next !== undefined) {
      if (died) deaths++;
      else await victim.kill('SIGKILL');
      victim = await next;
      await run(victim, namespace);
    }
    const faults = await stillWrong(api);
    await converge(steady, api);
    const from = record.writes.length;
    await run(steady, namespace);
    const late = record.writes.slice(from).map(({ verb, key }) => `at rest: ${verb} ${key}`);
    const state = await namespaceState(api, nodePort);
    await site.api().remove(namespaceType, namespace);
    return { requests, state, unreported, faults: [...faults, ...late, ...duplicates(record)] };
  }

  const undisturbed = await play();
  if (undisturbed.faults.length > 0) throw new Error(undisturbed.faults.join('\n'));
  return {
    requests: undisturbed.requests,
    async tryDeath(death) {
      const outcome = await play(death);
      return [...outcome.faults, ...differences(undisturbed.state, outcome)];
    },
    deaths: () => deaths,
    close: site.close,
  };
}

async function run(process: FunctionProcess, namespace: string): Promise<Report> {
  const { code, text } = await process.post(JSON.stringify({ namespace }));
  if (code !== 200) throw new Error(`the run returned ${code}: ${text}`);
  return JSON.parse(text) as Report;
}

async function disturbedWorld(
  { site, steady }: { readonly site: Site; readonly steady: FunctionProcess },
  { namespace, nodePort }: { readonly namespace: string; readonly nodePort: number },
): Promise<Api> {
  await site.api().create(namespaceType, namespace, {});
  const api = site.api(namespace);
  await eventually(() => run(steady, namespace));
  await settleWorld(api, nodePort);
  await converge(steady, api);
  await disturbWorld(api);
  return api;
}

/** Resyncs until a resync writes nothing and nothing is in progress. */
const converge = (process: FunctionProcess, api: Api): Promise<void> =>
  eventually(async () => {
    const { outcomes, statusWrites } = await run(process, api.namespace ?? '');
    const writes = outcomes.created + outcomes.updated + outcomes.deleted + statusWrites;
    if (writes > 0) throw new Error(`still writing: ${JSON.stringify({ outcomes, statusWrites })}`);
    for (const kind of kinds)
      for (const { metadata, status } of await api.list(kind))
        if (status?.conditions?.some(({ reason }) => reason === 'Progressing'))
          throw new Error(`${kind.kind} ${metadata.name} is in progress`);
  });

/** Lists children that are not as desired after one run. */
const stillWrong = async (api: Api): Promise<readonly string[]> =>
  faultsIn(await look(api, kinds)).map((fault) => `after one run: ${fault}`);

export const describeDeath = ({ at, when }: Death): string => `killed ${when} request ${at}`;
