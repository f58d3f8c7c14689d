import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { type Around, eachCall } from './calls.ts';
import { useEngine, usePlace } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused' });
afterEach(() => engine.cluster.undisturb());

const place = usePlace(engine);

const names = Array.from({ length: 10 }, (_, at) => `f${at}`);
const suspension = {
  metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } },
};

/** A run in which so many seconds pass, and something happens, after the first call of a sort. */
async function during(first: RegExp, seconds: number, act: (what: string) => Promise<unknown>) {
  const begun = Date.now();
  let passed = 0;
  const around: Around = async (what, call) => {
    const answer = await call();
    if (passed === 0 && first.test(what)) {
      passed = seconds * 1000;
      await act(what);
    }
    return answer;
  };
  const requestCounts = place.requests().length;
  const report = await place.resync({
    concurrency: 1,
    now: () => new Date(begun + passed),
    deadline: begun + 300_000,
    through: (port) => eachCall(port, around),
  });
  return { report, requests: place.requests().slice(requestCounts) };
}

const others = (what: string): readonly string[] => names.filter((name) => !what.endsWith(name));
const children = async (): Promise<readonly string[]> =>
  (await place.api.list(deployment)).map(({ metadata }) => metadata.name).toSorted();

describe('in a long run, resources that are waiting and meanwhile', () => {
  beforeEach(async () => {
    for (const name of names)
      await place.api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
  });

  test('C-14 suspended: none of their children is written', async () => {
    await during(/^apply Foo\/status/, 11, async (what) => {
      for (const name of others(what)) await place.api.patch(foo, name, suspension);
    });
    expect(await children()).toHaveLength(1);
  });

  test('edited: only what is wanted now is written', async () => {
    await during(/^apply Foo\/status/, 11, async (what) => {
      for (const name of others(what))
        await place.api.patch(foo, name, { spec: { deploymentName: `${name}-new` } });
    });
    expect((await children()).filter((name) => name.endsWith('-new'))).toHaveLength(9);
    expect(await children()).toHaveLength(10);
    expect(place.requests().filter(({ verb }) => verb === 'delete')).toEqual([]);
  });

  test('C-7 deleted: nothing is written for them', async () => {
    await during(/^apply Foo\/status/, 11, async (what) => {
      for (const name of others(what)) await place.api.remove(foo, name);
    });
    expect(await children()).toHaveLength(1);
  });

  test('unchanged: each is read again before its first write, and nothing is listed again', async () => {
    const { report, requests } = await during(/^apply Foo\/status/, 11, async () => undefined);
    expect(report.outcomes.created).toBe(10);
    expect(requests.filter(({ verb }) => verb === 'list')).toHaveLength(4);
    expect(requests.filter(({ verb }) => verb === 'get')).toHaveLength(9);
  });

  test('unchanged, in a short run: only the lists it began with', async () => {
    const { requests } = await during(/^apply Foo\/status/, 9, async () => undefined);
    expect(requests.filter(({ verb }) => verb === 'list')).toHaveLength(4);
  });
});

test('C-14 suspended between two writes that are long apart: the second is not begun', async () => {
  await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: place.nodePort() } });
  await during(/^apply Deployment/, 11, () => place.api.patch(website, 'w', suspension));
  expect(await place.api.list(service)).toEqual([]);
});
