import { afterAll, beforeAll } from 'vitest';
import { type Engine, openEngine } from './engine.ts';
import { playRecords, recordKinds } from './record-cases.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ controllers: 'paused' });
  await engine.install(recordKinds);
});
afterAll(() => engine.stop());

playRecords(async () => {
  const { api, resync } = await engine.place(recordKinds);
  return { api, resync };
});
