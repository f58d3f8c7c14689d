import { afterAll, beforeAll, test } from 'vitest';
import { type Engine, kinds, openEngine } from '../reconcile/engine.ts';
import { everyWorld } from './convergence.ts';
import { testTimeoutMs } from './runs.ts';
import { edits, scripts } from './script.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});
afterAll(() => engine.stop());

test(
  'a second run writes nothing',
  () => everyWorld(engine, { scripts: edits, kinds, cases: 15 }),
  testTimeoutMs,
);

test(
  'every world converges, and foreign objects are untouched',
  () => everyWorld(engine, { scripts, kinds, cases: 40 }),
  testTimeoutMs,
);
