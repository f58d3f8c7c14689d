import { describe, expect, test } from 'vitest';
import {
  type Child,
  type ChildType,
  child,
  configMap,
  defineKind,
  deployment,
  service,
  Type,
} from '../../index.ts';
import { valueAt } from '../../shared/json.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import { eachCall } from './calls.ts';
import type { Place, Settings } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const types: readonly ChildType[] = [configMap, deployment, service];

/** A version of a kind with these children, named after the resource. */
const versionWith = (...desired: readonly ((name: string) => Child)[]) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Boat',
    plural: 'boats',
    owns: types,
    spec: Type.Object({}),
    samples: [{ name: 'boat', spec: {} }],
    children: ({ name }) => desired.map((of) => of(name)),
  });

type Version = ReturnType<typeof versionWith>;

const engine = useEngine({ controllers: 'paused', install: [versionWith()] });
const place: Place = usePlace(engine, []);

/** Does a run, and returns its requests for single children, with trials by that name. */
async function run(kind: Version, settings: Partial<Settings> = {}): Promise<readonly string[]> {
  const calls: string[] = [];
  await place.resync({
    ...settings,
    kinds: [kind],
    through: (cluster) =>
      eachCall(cluster, (what, call) => {
        if (/Deployment|Service|ConfigMap/.test(what) && !what.startsWith('list'))
          calls.push(what.replace(/trial-\w+/, 'trial'));
        return call();
      }),
  });
  return calls;
}

async function upgrade(from: Version, to: Version): Promise<readonly string[]> {
  await place.api.create(from, 'a', { spec: {} });
  await run(from);
  return run(to);
}

const ready = async () =>
  (await place.api.get(versionWith(), 'a')).status?.conditions?.find(
    ({ type }) => type === 'Ready',
  );

const labels = { app: 'a' };
const container = { name: 'app', image: 'nginx:1' };

const deploymentWith =
  (pod: JsonObject, { spec = {}, handsOver = [] as readonly string[] } = {}) =>
  (name: string): Child =>
    child(deployment, {
      name,
      handsOver: handsOver as never,
      body: {
        spec: {
          replicas: 1,
          ...spec,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [container], ...pod } },
        },
      },
    });

const podOf = async (): Promise<Json | undefined> =>
  valueAt((await place.api.get(deployment, 'a')).spec, 'template', 'spec');

describe('a field that is given up', () => {
  const from = versionWith(deploymentWith({ serviceAccountName: 'robot' }));
  const to = versionWith(deploymentWith({}));

  test('is removed with its alias, with one restart of the pods', async () => {
    await place.api.create(from, 'a', { spec: {} });
    await run(from);
    const { generation = 0 } = (await place.api.get(deployment, 'a')).metadata;
    expect(await run(to)).toEqual([
      'dry-run apply Deployment a',
      'dry-run apply Deployment trial',
      'get Deployment a',
      'dry-run apply Deployment trial',
      'dry-run patch Deployment a',
      'patch Deployment a',
      'apply Deployment a',
    ]);
    expect(await podOf()).not.toHaveProperty('serviceAccountName');
    expect(await podOf()).not.toHaveProperty('serviceAccount');
    expect((await place.api.get(deployment, 'a')).metadata.generation).toBe(generation + 1);
    await run(to);
    expect(await run(to)).toEqual([]);
  });

  test('stays if another manager holds it', async () => {
    await place.api.create(from, 'a', { spec: {} });
    await run(from);
    await place.api.apply(deployment, 'a', {
      spec: { template: { spec: { serviceAccountName: 'robot' } } },
    });
    await run(to);
    expect(await podOf()).toMatchObject({ serviceAccountName: 'robot' });
  });

  test('keeps a value that is handed over in the same run', async () => {
    const older = versionWith(
      deploymentWith({ serviceAccountName: 'robot' }, { spec: { replicas: 5 } }),
    );
    const newer = versionWith(
      deploymentWith({}, { spec: { replicas: undefined }, handsOver: ['spec.replicas'] }),
    );
    await place.api.create(older, 'a', { spec: {} });
    await run(older);
    const { generation = 0 } = (await place.api.get(deployment, 'a')).metadata;
    await run(newer);
    const { spec, metadata } = await place.api.get(deployment, 'a');
    expect(await podOf()).not.toHaveProperty('serviceAccount');
    expect(spec).toMatchObject({ replicas: 5 });
    // The number of replicas was never another one.
    expect(metadata.generation).toBe(generation + 1);
  });
});

describe('a default that follows from another field', () => {
  const image = (name: string) => ({ containers: [{ ...container, image: name }] });

  test('changes with that field', async () => {
    await upgrade(
      versionWith(deploymentWith(image('nginx:1'))),
      versionWith(deploymentWith(image('nginx:latest'))),
    );
    expect(await podOf()).toMatchObject({ containers: [{ imagePullPolicy: 'Always' }] });
  });

  test('keeps the value that another manager has set', async () => {
    const from = versionWith(deploymentWith(image('nginx:1')));
    await place.api.create(from, 'a', { spec: {} });
    await run(from);
    const containers = [{ name: 'app', imagePullPolicy: 'Never' }];
    await place.api.apply(deployment, 'a', { spec: { template: { spec: { containers } } } });
    await run(versionWith(deploymentWith(image('nginx:latest'))));
    expect(await podOf()).toMatchObject({ containers: [{ imagePullPolicy: 'Never' }] });
  });

  test('costs one dry run if it stays the same', async () => {
    const calls = await upgrade(
      versionWith(deploymentWith(image('nginx:1'))),
      versionWith(deploymentWith(image('nginx:2'))),
    );
    expect(calls).toEqual([
      'dry-run apply Deployment a',
      'dry-run apply Deployment trial',
      'apply Deployment a',
    ]);
  });
});

describe('no dry run is sent', () => {
  test('for a child whose fields all have a manager', async () => {
    const of = (text: string) => (name: string) =>
      child(configMap, { name, body: { data: { text } } });
    expect(await upgrade(versionWith(of('one')), versionWith(of('two')))).toEqual([
      'dry-run apply ConfigMap a',
      'apply ConfigMap a',
    ]);
  });

  test('for drift', async () => {
    const kind = versionWith(deploymentWith({}));
    await place.api.create(kind, 'a', { spec: {} });
    await run(kind);
    await place.api.scale(deployment, 'a', 7);
    expect(await run(kind, { trigger: 'audit' })).toEqual([
      'dry-run apply Deployment a',
      'apply Deployment a',
    ]);
  });
});

describe('a Service that is no longer headless', () => {
  const of =
    (spec: JsonObject, recreate = false) =>
    (name: string): Child =>
      child(service, {
        name,
        body: { spec: { ports: [{ port: 80, protocol: 'TCP' }], ...spec } },
        ...(recreate ? { recreate: true as const } : {}),
      });
  const headless = versionWith(of({ clusterIP: 'None' }));

  test('is not written, and the condition names the field and the remedy', async () => {
    await upgrade(headless, versionWith(of({})));
    expect(await ready()).toMatchObject({
      status: 'False',
      reason: 'ImmutableFieldChanged',
      message:
        'Service a: spec.clusterIP differs and cannot be changed; delete the Service to have it recreated',
    });
  });

  test('is recreated if its kind requests that', async () => {
    await upgrade(headless, versionWith(of({}, true)));
    expect((await place.api.get(service, 'a')).spec?.clusterIP).toMatch(/^\d/);
  });

  test('is written if the server would not accept a new Service, such as one with its node port', async () => {
    const ports = [{ port: 80, protocol: 'TCP', nodePort: place.nodePort() }];
    const fixed = { type: 'NodePort', ports };
    await upgrade(
      versionWith(of(fixed)),
      versionWith(of({ ...fixed, sessionAffinity: 'ClientIP' })),
    );
    expect((await place.api.get(service, 'a')).spec).toMatchObject({ sessionAffinity: 'ClientIP' });
    expect(await ready()).toMatchObject({ status: 'True' });
  });
});
