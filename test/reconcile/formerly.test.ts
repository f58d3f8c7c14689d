import { beforeEach, describe, expect, test } from 'vitest';
import { type ChildType, child, configMap, defineKind, serviceAccount, Type } from '../../index.ts';
import { routeOf } from '../../shared/audit/route.ts';
import { isWriteRequest, type Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

const agentOf = (owns: readonly ChildType[], formerly: readonly ChildType[]) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Agent',
    plural: 'agents',
    owns,
    formerly,
    spec: Type.Object({}),
    samples: [{ name: 'agent-sample', spec: {} }],
    children: ({ name }) => [
      child(configMap, { name, body: { data: { greeting: 'hello' } } }),
      ...(owns.includes(serviceAccount) ? [child(serviceAccount, { name, body: {} })] : []),
    ],
  });
const before = agentOf([configMap, serviceAccount], []);
const after = agentOf([configMap], [serviceAccount]);
const forgetful = agentOf([configMap], []);

const engine = useEngine({ controllers: 'paused' });

let place: Place;
beforeEach(async () => {
  await engine.install([before]);
  place = await engine.place([after]);
  await place.api.create(before, 'a', { spec: {} });
  await place.resync({ kinds: [before] });
  expect(await accounts()).toEqual(['a']);
  await engine.install([after]);
});

const accounts = async () =>
  (await place.api.list(serviceAccount))
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== 'default');
const recorded = async () =>
  (await place.api.get(after, 'a')).status?.children?.map(({ kind }) => kind);
const writes = () => place.requests().filter(isWriteRequest);

describe('a type that a kind formerly owned', () => {
  test('C-5 is pruned with the generated permissions, with an Event, and nothing else is written', async () => {
    const begun = writes().length;
    const report = await place.resync();
    expect(report.failures).toEqual([]);
    expect(await accounts()).toEqual([]);
    expect(await recorded()).toEqual(['ConfigMap']);
    const sent = writes().slice(begun);
    expect(sent.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
      'delete serviceaccounts',
      'create events',
      'patch agents',
    ]);
    await place.resync();
    expect(writes()).toHaveLength(begun + sent.length);
  });

  test('C-5 is pruned even without its labels', async () => {
    await place.api.patch(serviceAccount, 'a', { metadata: { labels: null } });
    await place.resync();
    expect(await accounts()).toEqual([]);
  });

  test('C-6 keeps its foreign objects', async () => {
    await place.api.remove(serviceAccount, 'a');
    await place.api.create(serviceAccount, 'a', {});
    await place.resync();
    expect(await accounts()).toEqual(['a']);
    expect(await recorded()).toEqual(['ConfigMap']);
  });

  test('C-5 counts for PRUNE_LIMIT', async () => {
    await place.resync({ pruneLimit: () => 0 });
    expect(await accounts()).toEqual(['a']);
    expect(await recorded()).toEqual(['ConfigMap', 'ServiceAccount']);
  });

  test('may not be created with the generated permissions', async () => {
    await place.resync({ kinds: [before] });
    await place.api.remove(serviceAccount, 'a');
    const report = await place.resync({ kinds: [before] });
    expect(report.failures).toMatchObject([{ reason: 'Forbidden' }]);
    expect(await accounts()).toEqual([]);
  });

  test('is routed from audit entries', () => {
    const written = {
      group: '',
      version: 'v1',
      plural: 'serviceaccounts',
      verb: 'patch',
      namespace: 'n',
      name: 'a',
      user: 'jane',
      failed: false,
      dryRun: false,
    };
    expect(routeOf(written, { ownIdentity: [], kinds: [after] })).toMatchObject({
      child: { name: 'a' },
    });
  });

  test('stays if the kind does not list it', async () => {
    await place.resync({ kinds: [forgetful] });
    expect(await accounts()).toEqual(['a']);
  });
});
