import { expect, test } from 'vitest';
import { child, configMap, defineKind, job, objectName, Type } from '../../index.ts';
import { createTestEnvironment } from '../../testing/index.ts';

/** A kind that creates a ConfigMap once its Job is complete. */
const runner = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Runner',
  plural: 'runners',
  spec: Type.Object({}),
  samples: [{ name: 'runner', spec: {} }],
  owns: [job, configMap],
  children({ name }) {
    const containers = [{ name: 'run', image: 'run:1' }];
    const template = { spec: { containers, restartPolicy: 'Never' as const } };
    const run = child(job, {
      name: objectName(`${name}-run`),
      step: 'once',
      body: { spec: { template } },
    });
    return [run, child(configMap, { name, needs: [run], body: { data: { done: 'yes' } } })];
  },
});

test('the audit event for the end of a Job starts a run', async () => {
  await using world = await createTestEnvironment({ kinds: [runner] });
  await world.apply(runner, { name: 'one' });
  await world.resync();
  expect(await world.get(configMap, 'one')).toBeUndefined();

  await world.cluster.controllers.settled();
  await world.deliver();
  expect(await world.get(configMap, 'one')).toBeDefined();
  // Further changes of the Job's status cause no write.
  world.requests();
  await world.deliver();
  expect(world.requests().filter(({ isWrite }) => isWrite)).toEqual([]);
});

test('the end of a foreign Job costs one read, and no list', async () => {
  await using world = await createTestEnvironment({ kinds: [runner] });
  await world.apply(runner, { name: 'one' });
  await world.resync();
  await world.deliver();
  const containers = [{ name: 'run', image: 'run:1' }];
  await world.apply({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'theirs', namespace: 'default' },
    spec: { template: { spec: { containers, restartPolicy: 'Never' } } },
  });
  await world.deliver();
  await world.patch(job, 'theirs', { body: { status: { active: 0 } }, subresource: 'status' });
  world.requests();
  await world.deliver();
  expect(world.requests().map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(['get jobs']);
});
