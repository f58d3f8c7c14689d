import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { type Around, eachCall } from './calls.ts';
import { settlingFor } from './settling.ts';
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
    const response = await call();
    if (passed === 0 && first.test(what)) {
      passed = seconds * 1000;
      await act(what);
    }
    return response;
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

  test('edited get only what they now desire', async () => {
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

  test('unchanged are each read before their first write, and nothing is listed again', async () => {
    const { report, requests } = await during(/^apply Foo\/status/, 11, async () => undefined);
    expect(report.outcomes.created).toBe(10);
    expect(requests.filter(({ verb }) => verb === 'list')).toHaveLength(4);
    expect(requests.filter(({ verb }) => verb === 'get')).toHaveLength(9);
  });

  test('unchanged, in a short run, are read only by the initial lists', async () => {
    const { requests } = await during(/^apply Foo\/status/, 9, async () => undefined);
    expect(requests.filter(({ verb }) => verb === 'list')).toHaveLength(4);
  });
});

test('C-14 a resource that is suspended between two distant writes gets no second write', async () => {
  await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: place.nodePort() } });
  await during(/^apply Deployment/, 11, () => place.api.patch(website, 'w', suspension));
  expect(await place.api.list(service)).toEqual([]);
});

describe('C-5 C-10 a child created for a spec that was edited meanwhile is removed before the run ends', () => {
  const living = async (): Promise<readonly string[]> =>
    (await place.api.list(deployment)).map(({ metadata }) => metadata.name);

  /** Creates `old` only after an edit and another run that has put `new` in place; `around` sees each call. */
  async function late(around: Around, settings: Parameters<typeof place.resync>[0] = {}) {
    await place.api.create(foo, 'f', { spec: { deploymentName: 'old', replicas: 1 } });
    let isEdited = false;
    const through: Around = async (what, call) => {
      if (what === 'apply Deployment old' && !isEdited) {
        isEdited = true;
        await place.api.patch(foo, 'f', { spec: { deploymentName: 'new' } });
        await place.resync();
        expect(await living()).toEqual(['new']);
      }
      return around(what, call);
    };
    const report = await place.resync({
      ...settings,
      through: (port) => eachCall(port, through),
    });
    const { status } = await place.api.get(foo, 'f');
    expect(status?.children?.map(({ name }) => name)).toEqual(['new']);
    expect(await living()).toEqual(['new']);
    return report;
  }

  test('if the response to its creation is lost', async () => {
    await late(async (what, call) => {
      const response = await call();
      if (what === 'apply Deployment old') throw new UnreachableError('the response is lost');
      return response;
    });
  });

  test('if it could not be deleted at first because its controller wrote its status', async () => {
    let writes = 0;
    const around: Around = async (what, call) => {
      if (what === 'remove Deployment old' && writes++ < 5)
        await place.api.patch(
          deployment,
          'old',
          { status: { replicas: writes } },
          { subresource: 'status' },
        );
      return call();
    };
    await late(around, settlingFor(4));
    expect(writes).toBeGreaterThan(5);
  });

  test('if the time for its resource was over', async () => {
    let isOver = false;
    const around: Around = async (what, call) => {
      const response = await call();
      if (what !== 'apply Deployment old') return response;
      isOver = true;
      throw new UnreachableError('the response is lost');
    };
    await late(around, settlingFor(4));
    expect(isOver).toBe(true);
  });
});
