import { expect, test } from 'vitest';
import { child, defineKind, deployment, job, Type } from '../../index.ts';
import { valueAt } from '../../shared/json.ts';
import { condition } from '../scenarios/resources.ts';
import { useEngine } from './use-engine.ts';

const template = (image: string) => ({ spec: { containers: [{ name: 'a', image }] } });
/** A mill whose Deployment is created again for another tier, once a Job is complete. */
const mill = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Mill',
  plural: 'mills',
  spec: Type.Object({ tier: Type.String() }),
  samples: [{ name: 'one', spec: { tier: 'front' } }],
  owns: [deployment, job],
  children({ name, spec: { tier } }) {
    const { spec } = template('a:1');
    const grind = { type: job, name: `${name}-${tier}` };
    return [
      child(job, {
        ...grind,
        step: 'once',
        body: { spec: { template: { spec: { ...spec, restartPolicy: 'Never' as const } } } },
      }),
      child(deployment, {
        name,
        recreate: true,
        needs: [grind],
        body: {
          spec: {
            replicas: 2,
            selector: { matchLabels: { tier } },
            template: { metadata: { labels: { tier } }, spec },
          },
        },
      }),
    ];
  },
});

const engine = useEngine({ controllers: 'paused', install: [mill] });

/** Creates a mill and its Deployment. */
async function ground() {
  const { api, resync } = await engine.place([mill]);
  const step = async (): Promise<void> => {
    await resync();
    engine.cluster.controllers.resume();
    await engine.cluster.controllers.settled();
    engine.cluster.controllers.pause();
  };
  await api.create(mill, 'one', { spec: { tier: 'front' } });
  await step();
  await resync();
  return { api, resync, step };
}

test.each(['before', 'after'])(
  'drift is repaired in a child that waits to be created again, also if it happened %s a run saw the edit',
  async (moment) => {
    const { api, resync, step } = await ground();
    const { uid } = (await api.get(deployment, 'one')).metadata;
    await api.patch(mill, 'one', { spec: { tier: 'back' } });
    if (moment === 'after') await resync();
    await api.patch(deployment, 'one', { spec: { replicas: 7 } });

    const { origins } = await resync();
    const repaired = await api.get(deployment, 'one');
    expect(valueAt(repaired.spec, 'replicas')).toBe(2);
    expect(valueAt(repaired.spec, 'selector', 'matchLabels')).toEqual({ tier: 'front' });
    expect(repaired.metadata.uid).toBe(uid);
    expect(origins.drift).toBe(1);

    await step();
    await resync();
    const recreated = await api.get(deployment, 'one');
    expect(valueAt(recreated.spec, 'selector', 'matchLabels')).toEqual({ tier: 'back' });
    expect(recreated.metadata.uid).not.toBe(uid);
  },
);

test('what only a recreation would remove is no drift in a child that waits to be created again', async () => {
  const { api, resync } = await ground();
  const annotations = { other: 'writer' };
  await api.patch(deployment, 'one', { metadata: { annotations } });
  await api.patch(mill, 'one', { spec: { tier: 'back' } });
  await resync();
  const { outcomes, origins } = await resync();
  expect({ updated: outcomes.updated, drift: origins.drift }).toEqual({ updated: 0, drift: 0 });
  const { message } = condition(await api.get(mill, 'one'), 'Ready') ?? {};
  expect(message).not.toContain('keeps');
  expect((await api.get(deployment, 'one')).metadata.annotations).toMatchObject(annotations);
});
