import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { compareMinors } from '../control-plane/release.ts';
import { allCases } from './all-cases.ts';
import { createClient, type Target } from './client.ts';
import type { ContractCase } from './contract-case.ts';
import { registerDefinitions } from './definitions.ts';
import { type Runner, runCase } from './run-case.ts';

export interface StartedTarget extends Target {
  /** The minor version of Kubernetes that it is, or behaves as: `1.36`. */
  readonly minor: string;
  /** How long its controllers may take for what a case expects eventually. */
  readonly patienceMilliseconds: number;
  stop(): Promise<void>;
}

/** Registers one test for each case of the contract, run against the server that `start` gives. */
export function runContract(start: () => Promise<StartedTarget>): void {
  vi.setConfig({ maxConcurrency: 16, testTimeout: 60_000 });
  let runner: Runner;
  let minor: string;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const target = await start();
    stop = target.stop;
    minor = target.minor;
    const { patienceMilliseconds } = target;
    runner = { client: createClient(target), patienceMilliseconds };
    await registerDefinitions(runner.client);
  });
  afterAll(async () => {
    await runner?.client.close();
    await stop?.();
  });

  for (const [area, cases] of Object.entries(allCases)) {
    describe.concurrent(area, () => {
      for (const given of cases) {
        test(given.id, async () => {
          const run = runCase(given, `${area}-${given.id}`, runner);
          if (isExpected(given, minor)) return run;
          await expect(run, `${given.id} holds before ${given.since?.minor}`).rejects.toThrow();
        });
      }
    });
  }
}

/** Whether a case is expected to hold on a minor version of Kubernetes. */
export const isExpected = ({ since }: ContractCase, minor: string): boolean =>
  since === undefined || compareMinors(since.minor, minor) <= 0;
