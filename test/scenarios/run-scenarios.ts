import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import type { Code } from './functions.ts';
import { openPlace, type Scenarios } from './place.ts';
import { openStage, type Stage } from './stage.ts';
import type { TestClusterName } from './test-cluster.ts';

/** Registers one test for each scenario, each in a namespace of its own on one stage. */
export function runScenarios(
  ground: TestClusterName,
  { together, alone = {} }: { readonly together: Scenarios; readonly alone?: Scenarios },
  code?: Code,
): void {
  vi.setConfig({ maxConcurrency: 24, testTimeout: 240_000, hookTimeout: 900_000 });
  let stage: Stage;
  let places = 0;
  beforeAll(async () => {
    stage = await openStage(ground, code);
  });
  afterAll(() => stage?.close());

  const register = (all: Scenarios): void => {
    for (const [name, play] of Object.entries(all)) {
      test(name, async () => play(await openPlace(stage, `scenario-${++places}`)));
    }
  };
  describe.concurrent('side by side', () => register(together));
  if (Object.keys(alone).length > 0) describe('one at a time', () => register(alone));
}
