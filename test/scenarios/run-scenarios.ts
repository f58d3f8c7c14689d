import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import type { Code } from './functions.ts';
import { openPlace, type Scenarios } from './place.ts';
import { alone, together } from './scenarios.ts';
import { openStage, type Stage } from './stage.ts';
import type { TestClusterName } from './test-cluster.ts';

/** Returns the built module of a function, which is what gets deployed. */
const deployed: Code = (target) => new URL(`../../dist/${target}/index.js`, import.meta.url);

/** Registers a test for each scenario, in its own namespace on a common stage. */
export function runScenarios(ground: TestClusterName): void {
  vi.setConfig({ maxConcurrency: 24, testTimeout: 240_000, hookTimeout: 900_000 });
  let stage: Stage;
  let places = 0;
  beforeAll(async () => {
    stage = await openStage(ground, deployed);
  });
  afterAll(() => stage?.close());

  const register = (all: Scenarios): void => {
    for (const [name, play] of Object.entries(all)) {
      test(name, async () => play(await openPlace(stage, `scenario-${++places}`)));
    }
  };
  describe.concurrent('concurrently', () => register(together));
  describe('one at a time', () => register(alone));
}
