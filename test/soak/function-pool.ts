import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Random } from '@serverless-reconciler/local-cluster/random';
import type { Actor } from './actors.ts';
import type { Exchange } from './fault-proxy.ts';
import type { FunctionProcess, FunctionResponse } from './function-process.ts';
import type { Site } from './site.ts';

/** Short times, so that runs end and time out often. */
const settings = { SETTLE_SECONDS: '2', DEADLINE_SECONDS: '20', LOG_LEVEL: 'DEBUG' };

/** The function processes: two of each, one kept alive and one killed repeatedly. */
export interface FunctionPool {
  readonly steady: readonly FunctionProcess[];
  /** URL for audit entries, which go to one of the two audit functions. */
  readonly push: URL;
  /** Posts to a resync function; resolves with undefined if it dies meanwhile. */
  readonly resync: (
    name: 'steady' | 'mortal',
    body?: object,
  ) => Promise<FunctionResponse | undefined>;
  /** Runs before each request at the proxy, and kills a function whose time has come. */
  readonly meet: (exchange: Exchange) => Promise<void>;
  readonly actors: readonly Actor[];
  readonly kills: () => number;
  /** Stops restarting the functions that are killed, and ends them. */
  readonly retire: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A function process that is killed at a later request or at once. */
interface Mortal {
  readonly name: string;
  readonly target: 'resync' | 'audit';
  process: FunctionProcess | undefined;
  /** Requests left until it is killed. */
  requestsLeft: number;
  signal: 'SIGKILL' | 'SIGTERM';
}

export async function startFunctionPool(start: Site['start']): Promise<FunctionPool> {
  const startOne = (name: string, target: Mortal['target']) =>
    start({ name, target, env: settings });
  const [steadyResync, steadyAudit] = await Promise.all([
    startOne('resync', 'resync'),
    startOne('audit', 'audit'),
  ]);
  const mortals: Mortal[] = (['resync', 'audit'] as const).map((target) => ({
    name: `mortal-${target}`,
    target,
    process: undefined,
    requestsLeft: Number.POSITIVE_INFINITY,
    signal: 'SIGKILL',
  }));
  let kills = 0;
  let retired = false;

  const revive = async (mortal: Mortal): Promise<void> => {
    if (retired || mortal.process?.isAlive()) return;
    mortal.requestsLeft = Number.POSITIVE_INFINITY;
    mortal.process = await startOne(mortal.name, mortal.target);
  };
  const kill = async (mortal: Mortal, signal: Mortal['signal']): Promise<void> => {
    if (!mortal.process?.isAlive()) return;
    kills++;
    await mortal.process.kill(signal);
  };
  await Promise.all(mortals.map(revive));
  const [mortalResync, mortalAudit] = mortals;

  const gate = await startGate(() => [steadyAudit, mortalAudit?.process]);
  const resync: FunctionPool['resync'] = async (name, body = {}) => {
    const process = name === 'steady' ? steadyResync : mortalResync?.process;
    return process?.isAlive()
      ? process.post(JSON.stringify(body)).catch(() => undefined)
      : undefined;
  };

  return {
    steady: [steadyResync, steadyAudit],
    push: gate.url,
    resync,
    kills: () => kills,
    async meet({ sender }) {
      const mortal = mortals.find(({ name }) => name === sender);
      if (mortal === undefined || mortal.requestsLeft-- !== 0) return;
      const dead = kill(mortal, mortal.signal);
      // After a SIGTERM the process waits for this request.
      if (mortal.signal === 'SIGKILL') await dead;
    },
    actors: [
      { name: 'resyncs', everyMs: 4_000, act: (random) => resyncAtRandom(resync, random) },
      {
        name: 'killer',
        everyMs: 6_000,
        async act(random) {
          const mortal = random.pick(mortals);
          mortal.signal = random.pick(['SIGKILL', 'SIGTERM']);
          if (random.chance(0.3)) await kill(mortal, mortal.signal);
          else mortal.requestsLeft = random.below(60);
        },
      },
      { name: 'reviver', everyMs: 1_500, act: () => Promise.all(mortals.map(revive)) },
      {
        name: 'clocks',
        everyMs: 7_000,
        async act(random) {
          const all = [
            steadyResync,
            steadyAudit,
            ...mortals.flatMap(({ process }) => process ?? []),
          ];
          random.pick(all).shiftClock(random.pick(jumpsMs));
        },
      },
    ],
    async retire() {
      retired = true;
      await Promise.all(mortals.map(({ process }) => process?.kill('SIGKILL')));
      for (const process of [steadyResync, steadyAudit]) process.shiftClock(0);
    },
    close: gate.close,
  };
}

const hour = 3_600_000;
const jumpsMs = [0, 0, 2_000, -2_000, 90_000, -90_000, hour, -hour, 24 * hour, -24 * hour];

/** Sends no, one or two resyncs, to one or two functions, for everything or a part. */
async function resyncAtRandom(resync: FunctionPool['resync'], random: Random): Promise<void> {
  if (random.chance(0.15)) return;
  const resyncs = [resync(random.chance(0.7) ? 'steady' : 'mortal')];
  if (random.chance(0.2)) resyncs.push(resync('steady'));
  if (random.chance(0.3)) resyncs.push(resync('mortal'));
  await Promise.all(resyncs);
}

/** Starts one URL in front of several processes, of which those that are alive take turns. */
async function startGate(processes: () => readonly (FunctionProcess | undefined)[]) {
  let turn = 0;
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    const alive = processes().filter((one) => one?.isAlive());
    const { code, text } = (await alive[turn++ % alive.length]
      ?.post(body)
      .catch(() => undefined)) ?? {
      code: 503,
      text: 'the function died',
    };
    response.writeHead(code).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
