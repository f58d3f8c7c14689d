import { expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { openDirectEngine } from '../properties/direct-engine.ts';
import { kind } from '../properties/rollout-fleet.ts';

test('a new resource is planned once', async () => {
  let planned = 0;
  const counted: Kind = {
    ...kind,
    desired(...args) {
      planned++;
      return kind.desired(...args);
    },
  };
  const { cluster, place } = await openDirectEngine(undefined, [counted]);
  const { api, tick } = await place([counted]);
  for (const name of ['a', 'b', 'c']) await api.create(kind, name, { spec: {} });
  await tick();
  expect(await api.list(deployment)).toHaveLength(3);
  expect(planned).toBe(3);
  cluster.stop();
});
