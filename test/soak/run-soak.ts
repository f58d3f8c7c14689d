import { createRandom } from '@serverless-reconciler/local-cluster/random';
import type { StepDisplay } from '../../infra/cli/output/progress.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { numbers } from '../reconcile/engine.ts';
import type { TestClusterName } from '../scenarios/test-cluster.ts';
import { kinds } from '../support/config.ts';
import { startActors } from './actors.ts';
import { authorsOf, resumeAll } from './authors.ts';
import { explain } from './causes.ts';
import { judgeConvergence } from './convergence-check.ts';
import { definitionChurn } from './definition-churn.ts';
import { type Deliveries, startDeliveries } from './deliveries.ts';
import { driftersOf, tidy } from './drifters.ts';
import { chooseFault } from './faults.ts';
import { type Field, fingerprints, prepareField } from './field.ts';
import { type FunctionPool, startFunctionPool } from './function-pool.ts';
import { hostilesOf } from './hostile.ts';
import { collectLines } from './log-lines.ts';
import { type MemoryReport, watchMemory } from './memory.ts';
import { type NoiseTime, noiseFigures } from './noise-figures.ts';
import { createRecord } from './record.ts';
import { rest } from './scenes.ts';
import { openSite } from './site.ts';
import { type Check, checkCauses, checkForeign, checkLines, checkMemory } from './verdict.ts';

export interface SoakOptions {
  readonly ground: TestClusterName;
  readonly minutes: number;
  /** Determines the choices of each actor, and which requests meet a fault. */
  readonly seed: number;
  /** Names of actors to omit. */
  readonly without: readonly string[];
  /** Share of the requests that meet a fault, from 0 to 1. */
  readonly faultRate: number;
  /** Called with the current step, and its figures every second. */
  readonly onStep: StepDisplay['onStep'];
}

export interface ConditionSummary {
  readonly checks: readonly Check[];
  /** Failures of the soak itself. */
  readonly failures: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly memory: readonly MemoryReport[];
  /** The first log lines of each warning and error of the functions. */
  readonly logged: Readonly<Record<string, readonly string[]>>;
}

const teams = ['soak-1', 'soak-2', 'soak-3'];

/**
 * Flow: a cluster, four function processes behind a fault proxy, and actors that act at random for some
 * minutes; then silence, resyncs, and a verdict.
 * Caveats: a seed fixes the choices of each actor and their rate, but the results depend on timing.
 */
export async function runSoak(options: SoakOptions): Promise<ConditionSummary> {
  const { ground, seed, faultRate, onStep, without } = options;
  const record = createRecord(new Map(kinds.map((kind) => [kind.kind, groupResource(kind)])));
  const lines = collectLines();
  const random = createRandom(seed);
  const counts = { requests: 0, faults: 0, resyncs: 0 };
  let isNoisy = false;
  let pool: FunctionPool | undefined;
  let deliveries: Deliveries | undefined;
  onStep(`starting the ${ground} cluster`);
  const site = await openSite({
    ground,
    onLine: lines.hear,
    onAudit(events) {
      for (const event of events) record.hear(event);
      deliveries?.accept(events);
    },
    async before(exchange) {
      if (!isNoisy) return undefined;
      await pool?.meet(exchange);
      return chooseFault(random, faultRate);
    },
    onExchange(exchange) {
      counts.requests++;
      if (exchange.effect !== undefined) counts.faults++;
      record.note(exchange);
    },
  });
  try {
    const field: Field = {
      ground,
      api: site.api,
      teams,
      fleeting: 'soak-3',
      tenant: 'tenant',
      nodePort: mostlyFresh(seed),
    };
    await prepareField(field);
    await rest(field);
    const untouched = await fingerprints(field);
    pool = await startFunctionPool(site.start);
    deliveries = await startDeliveries(pool.push, seed + 1);
    const memory = watchMemory(pool.steady);
    const all = [
      ...authorsOf(field),
      ...driftersOf(field),
      ...hostilesOf(field),
      ...definitionChurn(field),
      ...pool.actors,
    ];
    isNoisy = true;
    const cast = startActors(
      all.filter(({ name }) => !without.includes(name)),
      seed,
    );
    const totals = () => ({
      deeds: sum(cast.counts, 'done'),
      refused: sum(cast.counts, 'refused'),
      requests: counts.requests,
      faults: counts.faults,
      writes: record.writes.length,
      kills: pool?.kills() ?? 0,
      delivered: deliveries?.delivered() ?? 0,
      heapMiB: Math.round(memory.last()),
    });
    await passTime(options, memory.sample, (time) => onStep('noise', noiseFigures(time, totals())));
    onStep('ending the noise');
    await cast.stop();
    await deliveries.stop();
    isNoisy = false;
    await pool.retire();
    await site.proxy.idle();
    await resumeAll(field);
    // In the other namespaces blocking objects stay.
    await tidy(field.api('soak-1'));
    await tidy(field.api('soak-3'));
    const convergence = await judgeConvergence({
      site,
      field,
      pool,
      writes: record.writes,
      onResync: (resync) =>
        onStep('converging', `resync ${resync}, writes ${record.writes.length}`),
    });
    return {
      memory: memory.report(),
      logged: Object.fromEntries(lines.samples),
      checks: [
        ...convergence,
        checkMemory(memory.report()),
        checkCauses(explain(record)),
        checkForeign(record.writes, untouched, await fingerprints(field)),
        checkLines(lines),
      ],
      failures: cast.failures,
      counts: totals(),
    };
  } finally {
    await deliveries?.stop();
    await pool?.close();
    await site.close();
  }
}

/** Returns node ports, of which one in ten collides with others. */
function mostlyFresh(seed: number): () => number {
  const random = createRandom(seed + 2);
  const fresh = numbers(30_101, 31_999);
  return () => (random.chance(0.1) ? 30_100 : fresh());
}

const sampleMs = 5_000;
const figuresMs = 1_000;

async function passTime(
  { minutes }: SoakOptions,
  sample: () => Promise<void>,
  onFigures: (time: NoiseTime) => void,
): Promise<void> {
  const of = minutes * 60_000;
  const started = Date.now();
  const sampling = setInterval(() => void sample(), sampleMs);
  const showing = setInterval(() => onFigures({ passed: Date.now() - started, of }), figuresMs);
  await new Promise((resolve) => setTimeout(resolve, of));
  clearInterval(sampling);
  clearInterval(showing);
}

const sum = (
  counts: ReadonlyMap<string, { readonly done: number; readonly refused: number }>,
  of: 'done' | 'refused',
): number => [...counts.values()].reduce((total, one) => total + one[of], 0);
