import { afterAll, beforeAll } from 'vitest';
import { buildBoth } from '../build/artefact.ts';
import { invalidSpecs } from './rows/invalid-spec.ts';
import { solo } from './rows/solo.ts';
import { runScenarios } from './run-scenarios.ts';
import { scenarios } from './scenarios.ts';

let built: Awaited<ReturnType<typeof buildBoth>>;
beforeAll(async () => {
  built = await buildBoth();
});
afterAll(() => built.remove());

runScenarios('local', { together: scenarios, alone: { ...solo, ...invalidSpecs } }, (target) =>
  built.codeOf(target),
);
