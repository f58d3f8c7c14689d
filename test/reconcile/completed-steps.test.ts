import { beforeEach, expect, test } from 'vitest';
import { child, defineKind, job, Type } from '../../index.ts';
import type { Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

const pod = { restartPolicy: 'Never' as const, containers: [{ name: 'a', image: 'a' }] };
/** A list of steps. */
const list = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'List',
  plural: 'lists',
  spec: Type.Object({ steps: Type.Array(Type.String()) }),
  samples: [{ name: 'one', spec: { steps: ['a'] } }],
  owns: [job],
  children: ({ spec: { steps } }) =>
    steps.map((name) =>
      child(job, { name, step: 'once', body: { spec: { template: { spec: pod } } } }),
    ),
});

const engine = useEngine({ controllers: 'paused', install: [list] });
let place: Place;
beforeEach(async () => {
  place = await engine.place([list]);
  await place.api.create(list, 'one', { spec: { steps: ['a'] } });
});
const settled = async (): Promise<void> => {
  engine.cluster.controllers.resume();
  await engine.cluster.controllers.settled();
  engine.cluster.controllers.pause();
};
const want = (...steps: readonly string[]) => place.api.patch(list, 'one', { spec: { steps } });
const complete = async (): Promise<void> => {
  for (let runs = 0; runs < 4; runs++) {
    await place.resync();
    await settled();
  }
};
const created = (): readonly string[] =>
  place
    .requests()
    .filter(
      ({ verb, resource, status }) => verb === 'patch' && resource === 'jobs' && status === 201,
    )
    .map(({ name }) => name ?? '');

test('a step that no run saw complete before it was no longer wanted is not run again', async () => {
  await place.resync();
  await settled();
  await want();
  await complete();
  expect(await place.api.list(job)).toEqual([]);
  await want('a');
  await complete();
  expect(created()).toEqual(['a']);
});

test('a step that is wanted is not forgotten because others are no longer wanted', async () => {
  await complete();
  await want();
  await complete();
  await want('a', ...Array.from({ length: 33 }, (_, at) => `b${at}`));
  await complete();
  await want('a');
  await complete();
  expect(created().filter((name) => name === 'a')).toEqual(['a']);
});

test('a step that is wanted again is not written in a steady state', async () => {
  await complete();
  await want();
  await complete();
  await want('a');
  await complete();
  const begun = place.requests().length;
  await place.resync();
  expect(
    place
      .requests()
      .slice(begun)
      .filter(({ verb }) => !['get', 'list'].includes(verb)),
  ).toEqual([]);
});
