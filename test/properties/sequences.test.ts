import { afterAll, beforeAll, describe, test } from 'vitest';
import { namespaceType } from '../reconcile/engine.ts';
import { kindsFor } from '../support/config.ts';
import { type DirectEngine, openDirectEngine } from './direct-engine.ts';
import { testTimeoutMs } from './runs.ts';
import { everyReadBehind, everySequence, type Ground } from './sequences.ts';

const kinds = kindsFor({ authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' });

let engine: DirectEngine;
beforeAll(async () => {
  engine = await openDirectEngine(undefined, kinds);
});
afterAll(() => engine.cluster.stop());

const ground = (kind: (typeof kinds)[number]): Ground => ({
  async settled() {
    engine.cluster.controllers.resume();
    await engine.cluster.controllers.settled();
    engine.cluster.controllers.pause();
  },
  async place() {
    const { api, namespace, resync } = await engine.place([kind]);
    return {
      api,
      resync,
      close: async () => {
        await this.settled();
        await engine.admin.remove(namespaceType, namespace);
        await this.settled();
      },
    };
  },
});

describe.each(kinds.map((kind) => [kind.kind, kind] as const))('%s', (_, kind) => {
  test(
    'any sequence of edits and crashes ends like a new resource',
    () => everySequence(ground(kind), kind, 60),
    testTimeoutMs,
  );

  test(
    'a run whose reads are all stale overwrites no child',
    () => everyReadBehind(ground(kind), kind, 40),
    testTimeoutMs,
  );
});
