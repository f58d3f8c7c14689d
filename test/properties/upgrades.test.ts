import { afterAll, beforeAll, describe, test } from 'vitest';
import { isClusterScoped } from '../../shared/kubernetes.ts';
import { type DirectEngine, openDirectEngine } from './direct-engine.ts';
import { testTimeoutMs } from './runs.ts';
import { everyUpgrade, upgradedKinds } from './upgrades.ts';
import { versioned } from './versions.ts';

let engine: DirectEngine;
beforeAll(async () => {
  engine = await openDirectEngine(undefined, upgradedKinds(versioned));
  engine.cluster.controllers.pause();
});
afterAll(() => engine.cluster.stop());

describe.each(versioned.map((one) => [one.type.kind, one] as const))('%s', (_, subject) => {
  test(
    'a child upgraded between any two versions equals a new one',
    async () => {
      const { api, resync } = await engine.place([]);
      const ground = isClusterScoped(subject.type)
        ? { api: engine.admin, resync: (settings: object) => engine.run({}, settings) }
        : { api, resync };
      await everyUpgrade(ground, subject, 100);
    },
    testTimeoutMs,
  );
});
