import { test } from 'vitest';
import { kinds } from '../reconcile/engine.ts';
import { useEngine } from '../reconcile/use-engine.ts';
import { everyWorld } from './convergence.ts';
import { testTimeoutMs } from './runs.ts';
import { edits, scripts } from './script.ts';

const engine = useEngine();

test(
  'in any world, a second run writes nothing',
  () => everyWorld(engine, { scripts: edits, kinds, cases: 15 }),
  testTimeoutMs,
);

test(
  'any world converges, and foreign objects do not change',
  () => everyWorld(engine, { scripts, kinds, cases: 40 }),
  testTimeoutMs,
);
