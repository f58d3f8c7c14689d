import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Kind } from '../../shared/kinds/kind.ts';
import { everyReadBehind, everySequence, type Ground } from '../properties/sequences.ts';
import { namespaceType } from '../reconcile/engine.ts';
import { openApi } from '../scenarios/api.ts';
import { kindsFor } from '../support/config.ts';
import { type RealEngine, startRealEngine } from './real-engine.ts';

/** Repeats the search of `test/properties/sequences.test.ts` on a real API server, without controllers. */
let engine: RealEngine;

const kinds = kindsFor({ authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' });

beforeAll(async () => {
  engine = await startRealEngine(kinds);
}, 900_000);
afterAll(() => engine?.stop());

let places = 0;

const groundFor = (kind: Kind): Ground => ({
  settled: async () => undefined,
  async place() {
    const namespace = `sequences-${++places}`;
    await openApi(engine.client).create(namespaceType, namespace, {});
    const api = openApi(engine.client, namespace);
    return {
      api,
      resync: (settings) => engine.run({}, { ...settings, kinds: [kind], namespaces: [namespace] }),
      async close() {
        for (const type of [kind, ...kind.owns]) await api.removeAll(type);
      },
    };
  },
});

const timeout = 300_000;

describe.each(kinds.map((kind) => [kind.kind, kind] as const))('%s', (_, kind) => {
  test(
    'any sequence of edits and crashes ends like a new resource',
    () => everySequence(groundFor(kind), kind, 20),
    timeout,
  );

  test(
    'a run whose reads are all stale overwrites no child',
    () => everyReadBehind(groundFor(kind), kind, 20),
    timeout,
  );
});
