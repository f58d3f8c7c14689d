import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { createClient, type Target } from '../../client.ts';
import { allCases } from './all-cases.ts';
import { registerDefinitions } from './definitions.ts';
import { type Runner, runCase } from './run-case.ts';

export interface StartedTarget extends Target {
  /** The minor version of Kubernetes that the server has, or imitates: `1.36`. */
  readonly minor: string;
  /** How long controllers may take until an eventual expectation is met. */
  readonly patienceMilliseconds: number;
  stop(): Promise<void>;
}

/** Registers a test for each case of the contract, except in some areas, against the server that `start` returns. */
export function runContract(
  start: () => Promise<StartedTarget>,
  except: readonly string[] = [],
): void {
  vi.setConfig({ maxConcurrency: 16, testTimeout: 60_000 });
  let runner: Runner;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const target = await start();
    stop = target.stop;
    const { minor, patienceMilliseconds } = target;
    runner = { client: createClient(target), minor, patienceMilliseconds };
    await registerDefinitions(runner.client);
  });
  afterAll(async () => {
    await runner?.client.close();
    await stop?.();
  });

  for (const [area, cases] of allCases) {
    if (except.includes(area)) continue;
    describe.concurrent(area, () => {
      for (const given of cases) {
        let retries = 0;
        // A retry gets another namespace, because the former one may still exist.
        const suffix = () => (retries++ === 0 ? '' : `-${retries}`);
        test(given.id, () =>
          runCase(given, { name: `${area}-${given.id}`, suffix: suffix() }, runner),
        );
      }
    });
  }
}
