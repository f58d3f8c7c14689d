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

/** Runs, and lets this many seconds pass and acts after the first matching call. */
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
  const before = place.requests().length;
  const report = await place.resync({
    concurrency: 1,
    now: () => new Date(begun + passed),
    deadline: begun + 300_000,
    through: (port) => eachCall(port, around),
  });
  return { report, requests: place.requests().slice(before) };
}

const others = (what: string): readonly string[] => names.filter((name) => !what.endsWith(name));
const children = async (): Promise<readonly string[]> =>
  (await place.api.list(deployment)).map(({ metadata }) => metadata.name).toSorted();

describe('in a long run, waiting resources that are meanwhile', () => {
  beforeEach(async () => {
    for (const name of names)
      await place.api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
  });

  test('C-14 suspended get no child written', async () => {
    await during(/^apply Foo\/status/, 11, async (what) => {
      for (const name of others(what)) await place.api.patch(foo, name, suspension);
    });
    expect(await children()).toHaveLength(1);
  });

  test('edited get only what they want now', async () => {
    await during(/^apply Foo\/status/, 11, async (what) => {
      for (const name of others(what))
        await place.api.patch(foo, name, { spec: { deploymentName: `${name}-new` } });
    });
    expect((await children()).filter((name) => name.endsWith('-new'))).toHaveLength(9);
    expect(await children()).toHaveLength(10);
    expect(place.requests().filter(({ verb }) => verb === 'delete')).toEqual([]);
  });

  test('C-7 deleted get nothing written', async () => {
    await during(/^apply Foo\/status/, 11, async (what) => {
      for (const name of others(what)) await place.api.remove(foo, name);
    });
    expect(await children()).toHaveLength(1);
  });

  test('left alone are each read before their first write, and nothing is listed again', async () => {
    const { report, requests } = await during(/^apply Foo\/status/, 11, async () => undefined);
    expect(report.outcomes.created).toBe(10);
    expect(requests.filter(({ verb }) => verb === 'list')).toHaveLength(4);
    expect(requests.filter(({ verb }) => verb === 'get')).toHaveLength(9);
  });

  test('left alone, in a short run, are read by the initial lists only', async () => {
    const { requests } = await during(/^apply Foo\/status/, 9, async () => undefined);
    expect(requests.filter(({ verb }) => verb === 'list')).toHaveLength(4);
  });
});

test('C-14 a resource that is suspended between two distant writes gets no second write', async () => {
  await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: place.nodePort() } });
  await during(/^apply Deployment/, 11, () => place.api.patch(website, 'w', suspension));
  expect(await place.api.list(service)).toEqual([]);
});
