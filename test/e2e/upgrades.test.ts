import { afterAll, beforeAll, describe, test } from 'vitest';
import { isClusterScoped, type ResourceType } from '../../shared/kubernetes.ts';
import { everyUpgrade, upgradedKinds } from '../properties/upgrades.ts';
import { versioned } from '../properties/versions.ts';
import { namespaceType, type Settings } from '../reconcile/engine.ts';
import { openApi } from '../scenarios/api.ts';
import { type RealEngine, startRealEngine } from './real-engine.ts';

/** Repeats the search of `test/properties/upgrades.test.ts` on a real API server, without controllers. */
let engine: RealEngine;
beforeAll(async () => {
  engine = await startRealEngine(upgradedKinds(versioned));
}, 900_000);
afterAll(() => engine?.stop());

const serviceAccount: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
};

async function groundFor(type: ResourceType) {
  const admin = openApi(engine.client);
  if (isClusterScoped(type))
    return { api: admin, resync: (settings: Partial<Settings>) => engine.run({}, settings) };
  const namespace = `upgrades-${type.plural}`;
  await admin.create(namespaceType, namespace, {});
  const api = openApi(engine.client, namespace);
  // A Pod is refused without its account.
  for (const name of ['default', 'robot', 'other']) await api.create(serviceAccount, name, {});
  const resync = (settings: Partial<Settings>) =>
    engine.run({}, { ...settings, namespaces: [namespace] });
  return { api, resync };
}

describe.each(versioned.map((one) => [one.type.kind, one] as const))('%s', (_, subject) => {
  test('a child upgraded between any two versions equals a new one', async () => {
    await everyUpgrade(await groundFor(subject.type), subject, 30);
  }, 300_000);
});
