import pMap from 'p-map';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { website } from '../../systems/website.ts';
import { isWhole } from '../properties/runs.ts';
import { engineUser, type Place } from './engine.ts';
import { requestCounts } from './request-counts.ts';
import { useEngine } from './use-engine.ts';

const count = isWhole ? 300 : 120;
const engine = useEngine();
let places: Place[];
beforeAll(async () => {
  places = [await engine.place(), await engine.place(), await engine.place()];
  await pMap(
    Array.from({ length: count }, (_, at) => at),
    (at) => {
      const { api, nodePort } = places[at % places.length]!;
      return api.create(website, `w${at}`, { spec: { imageTag: 'v1', nodePort: nodePort() } });
    },
    { concurrency: 16 },
  );
});

beforeEach(async () => {
  await engine.cluster.controllers.settled();
  engine.cluster.requests.reset();
});

const lists = {
  'list deployments': 1,
  'list services': 1,
  'list websites': 1,
};
const kinds = [website];

describe(`${count} Websites in three namespaces`, () => {
  test('a first run takes two writes for the children of each and one for its status, without a conflict', async () => {
    // Subtracts reads of resources that a run of more than ten seconds makes on a busy machine.
    const now = new Date();
    const report = await engine.run({}, { kinds, now: () => now });
    expect(requestCounts(engine)).toEqual({
      ...lists,
      'patch deployments': count,
      'patch services': count,
      'patch websites/status': count,
    });
    expect(report.outcomes.created).toBe(2 * count);
  });

  test('a run after their pods are ready writes one status for each', async () => {
    await engine.run({}, { kinds });
    expect(requestCounts(engine)).toEqual({ ...lists, 'patch websites/status': count });
  });

  test('a run without changes takes one list for each kind, and no other request', async () => {
    const report = await engine.run({}, { kinds });
    expect(requestCounts(engine)).toEqual(lists);
    expect(report.resources).toEqual({ total: count, unchanged: count, reconciled: 0 });
    expect(Object.values(report.requests).map(({ requests }) => requests)).toEqual([1, 1, 1]);
  });

  test('a run over three named namespaces takes a list of each kind for each', async () => {
    await engine.run({}, { kinds, namespaces: places.map(({ namespace }) => namespace) });
    expect(requestCounts(engine)).toEqual({
      'list deployments': 3,
      'list services': 3,
      'list websites': 3,
    });
  });

  test('a run after drift of ten takes one dry run, one write, one Event and at most one status for each of these', async () => {
    for (let at = 0; at < 10; at++)
      await places[at % places.length]!.api.scale(deployment, `w${at}`, 5);
    engine.cluster.controllers.pause();
    engine.cluster.requests.reset();
    await engine.run({}, { kinds });
    engine.cluster.controllers.resume();
    expect(requestCounts(engine)).toEqual({
      ...lists,
      'patch deployments': 20,
      'create events': 10,
      'patch websites/status': 10,
    });
  });

  test('a run over one named resource takes a list for each type of children and one for the resource', async () => {
    await engine.run({}, { kinds });
    await engine.cluster.controllers.settled();
    engine.cluster.requests.reset();
    const { namespace } = places[1]!;
    const report = await engine.run(
      { kind: 'Website', namespace, name: 'w1' },
      { trigger: 'audit' },
    );
    expect(report.resources.total).toBe(1);
    expect(requestCounts(engine)).toEqual(lists);
    const found = engine.cluster.requests.list().filter(({ user }) => user === engineUser);
    expect(found.reduce((bytes, one) => bytes + one.bytes, 0)).toBeLessThan(20_000);
  });
});
