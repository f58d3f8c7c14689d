import { afterAll, beforeAll } from 'vitest';
import { namespaceType } from '../reconcile/engine.ts';
import { playRecords, recordKinds } from '../reconcile/record-cases.ts';
import { openApi } from '../scenarios/api.ts';
import { type RealEngine, startRealEngine } from './real-engine.ts';

/** Repeats the cases of `test/reconcile/compare-by-dry-run.test.ts` about drift on a real API server. */
let engine: RealEngine;
beforeAll(async () => {
  engine = await startRealEngine(recordKinds);
}, 900_000);
afterAll(() => engine?.stop());

let places = 0;
playRecords(async () => {
  const namespace = `records-${++places}`;
  await openApi(engine.client).create(namespaceType, namespace, {});
  return {
    api: openApi(engine.client, namespace),
    resync: (settings) =>
      engine.run({}, { ...settings, kinds: recordKinds, namespaces: [namespace] }),
  };
});
