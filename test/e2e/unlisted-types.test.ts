import type { Client } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configMap } from '../../index.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { certificate, certificateDefinition } from '../child-types/custom-resources.ts';
import { namespaceType } from '../reconcile/engine.ts';
import { openApi } from '../scenarios/api.ts';
import { definitionType } from '../scenarios/definitions.ts';
import { eventually } from '../scenarios/eventually.ts';
import { driver, installer } from '../support/installer.ts';
import { stack } from '../support/stack.ts';
import { type RealEngine, startRealEngine } from './real-engine.ts';

/** A real API server, on which the CRD of a type of children is installed and removed. */
let engine: RealEngine;
let client: Client;
let resync: () => ReturnType<RealEngine['run']>;
const namespace = 'types';

beforeAll(async () => {
  engine = await startRealEngine([stack]);
  client = engine.client;
  await openApi(client).create(namespaceType, namespace, {});
  resync = () => engine.run({}, { kinds: [stack], namespaces: [namespace] });
}, 900_000);
afterAll(() => engine?.stop());

test('a type of children that is installed, removed and installed again affects only its own children', {
  timeout: 120_000,
}, async () => {
  const api = openApi(client, namespace);
  const id = groupResource(certificate);
  const create = (name: string, wants: readonly string[]) =>
    api.create(stack, name, { spec: { config: name, wants } });
  const statusOf = async (name: string) => (await api.get(stack, name)).status;
  const readyOf = async (name: string) =>
    (await statusOf(name))?.conditions?.find(({ type }) => type === 'Ready');
  const blocked = {
    status: 'False',
    reason: 'TypeNotServed',
    message: `${id} v1 is not served, but children of Stack have this type: install a CRD that serves it`,
  };
  /** Deletes the ConfigMaps of both resources, and expects a resync to create them again. */
  const expectRepairs = async () => {
    for (const name of ['with', 'without']) await api.remove(configMap, name);
    expect((await resync()).outcomes).toMatchObject({ created: 2, deleted: 0 });
    expect(await readyOf('without')).toMatchObject({ status: 'True' });
  };

  /** Expects a resync to create the Certificate, and to follow its controller, for which this function stands in. */
  const expectIssued = async () => {
    await resync();
    const { spec, metadata } = await api.get(certificate, 'with');
    expect(spec).toMatchObject({ secretName: 'with' });
    const status = { observedGeneration: metadata.generation ?? 1 };
    await api.applyStatus(certificate, 'with', { status }, 'cert-manager');
    await resync();
    expect(await readyOf('with')).toMatchObject({ status: 'True' });
  };

  await create('with', ['certificate', 'service']);
  await create('without', []);
  const report = await resync();
  expect(report).toMatchObject({ incomplete: [], outcomes: { created: 3, blocked: 1 } });
  expect(report.notServed.map(({ kind }) => kind)).toContain(id);
  expect(await readyOf('with')).toMatchObject(blocked);
  await expectRepairs();
  for (const config of ['renamed', 'with']) {
    await api.patch(stack, 'with', { spec: { config } });
    await resync();
    const configs = (await api.list(configMap)).map(({ metadata }) => metadata.name);
    expect(configs).toContain(config);
    expect(configs).not.toContain(config === 'with' ? 'renamed' : 'with');
    expect(await readyOf('with')).toMatchObject(blocked);
  }

  await engine.install([stack, certificateDefinition]);
  await eventually(expectIssued);

  await openApi(client).remove(definitionType, id);
  await eventually(async () => {
    await resync();
    expect(await readyOf('with')).toMatchObject(blocked);
  });
  expect((await statusOf('with'))?.children?.map(({ kind }) => kind)).toContain('Certificate');
  await expectRepairs();

  await eventually(() => engine.install([stack, certificateDefinition]));
  await eventually(expectIssued);
});

test('a type that a child installs is awaited, and kept with the objects of users', {
  timeout: 60_000,
}, async () => {
  await engine.install([installer]);
  const api = openApi(client);
  const run = () => engine.run({}, { kinds: [installer], namespaces: undefined });
  const stateOf = async () => {
    const { status } = await api.get(installer, 'drivers');
    return status?.conditions?.map(({ type, reason }) => `${type} ${reason}`);
  };
  await api.create(installer, 'drivers', { spec: { endpoint: 'one' } });
  await run();
  expect(await stateOf()).toEqual(['Ready DependencyPending', 'Reconciling DependencyPending']);
  await eventually(async () => {
    await run();
    expect(await stateOf()).toEqual(['Ready Ready']);
  });
  await api.create(driver, 'users', { spec: { endpoint: 'two' } });
  await api.patch(installer, 'drivers', { spec: { isInstalled: false } });
  await run();
  expect(await stateOf()).toEqual(['Ready Retained', 'Stalled Retained']);
  expect((await api.list(driver)).map(({ metadata }) => metadata.name)).toEqual(['users']);
});
