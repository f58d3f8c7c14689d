import { expect, test } from 'vitest';
import { child, defineKind, job, Type, workloadName } from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { policy } from '../properties/rollout-fleet.ts';
import { condition } from '../scenarios/resources.ts';
import { type Around, eachCall } from './calls.ts';
import { useEngine } from './use-engine.ts';

const task = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Task',
  plural: 'tasks',
  spec: Type.Object({ step: Type.String() }),
  samples: [{ name: 'task', spec: { step: 'one' } }],
  owns: [job],
  children: ({ name, spec: { step } }) => [
    child(job, {
      name: workloadName(`${name}-${step}`),
      body: {
        spec: {
          template: {
            spec: { restartPolicy: 'Never', containers: [{ name: 'task', image: 'task:1' }] },
          },
        },
      },
    }),
  ],
});
const engine = useEngine({ controllers: 'paused', install: [task] });

test('a run that listed a child before another run deleted it for an edit starts no rollout', async () => {
  const place = await engine.place([task]);
  await place.api.create(task, 'a', { spec: { step: 'one' } });
  await place.resync();
  await place.api.patch(task, 'a', { spec: { step: 'two' } });
  let isListed = false;
  const deleteAfterList: Around = async (what, call) => {
    const result = await call();
    if (what === 'list jobs' && !isListed) {
      isListed = true;
      await place.resync({ rollout: policy });
    }
    return result;
  };
  const through = (cluster: Cluster) => eachCall(cluster, deleteAfterList);
  await place.resync({ rollout: policy, through });
  const live = await place.api.get(task, 'a');
  expect(condition(live, 'RolloutPending')).toBeUndefined();
  expect(live.status?.children?.map(({ name }) => name)).toEqual(['a-two']);
});
