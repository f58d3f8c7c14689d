import { createClient } from '@serverless-reconciler/local-cluster/client';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configMap } from '../../index.ts';
import { install } from '../../infra/generate/install.ts';
import { connect } from '../../shared/cluster/http/connection.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { groupResource, type JsonObject } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import { certificate, certificateDefinition } from '../child-types/custom-resources.ts';
import { engineUser, namespaceType, runner } from '../reconcile/engine.ts';
import { applyManifest, openApi } from '../scenarios/api.ts';
import { definitionType } from '../scenarios/definitions.ts';
import { eventually } from '../scenarios/eventually.ts';
import { stack } from '../support/stack.ts';

/** A real API server, on which the CRD of a type of children comes and goes. */
let plane: ControlPlane;
let client: ReturnType<typeof createClient>;
let resync: () => ReturnType<ReturnType<typeof runner>>;
const namespace = 'types';

const installed = (kinds: readonly Kind[]): Promise<void> =>
  install((path, manifest) => applyManifest(client, path, manifest as JsonObject), {
    kinds,
    user: engineUser,
    samples: false,
  });

beforeAll(async () => {
  plane = await startControlPlane({ controllers: false });
  const { url, ca, tokens } = plane;
  client = createClient({ url, ca, token: tokens.admin });
  await installed([stack]);
  await eventually(() => openApi(client).list(stack));
  await openApi(client).create(namespaceType, namespace, {});
  const run = runner({
    connection: connect({
      server: url,
      tls: { ca },
      authorization: async () => `Bearer ${tokens.admin}`,
    }),
    clock: () => new Date(),
    log: createLog(() => undefined, 'ERROR'),
  });
  resync = () => run({}, { kinds: [stack], namespaces: [namespace] });
}, 900_000);
afterAll(async () => {
  await client?.close();
  await plane?.stop();
});

test('a type of children that is installed, removed and installed again costs only its own children', {
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
    message: `${id} v1 is not served, and Stack owns it: install its CRD`,
  };
  /** Deletes the ConfigMaps of both resources, and expects a resync to create them again. */
  const expectRepairs = async () => {
    for (const name of ['with', 'without']) await api.remove(configMap, name);
    expect((await resync()).outcomes).toMatchObject({ created: 2, deleted: 0 });
    expect(await readyOf('without')).toMatchObject({ status: 'True' });
  };

  await create('with', ['certificate', 'service']);
  await create('without', []);
  const report = await resync();
  expect(report).toMatchObject({ incomplete: [], outcomes: { created: 3, blocked: 1 } });
  expect(report.notServed.map(({ kind }) => kind)).toContain(id);
  expect(await readyOf('with')).toMatchObject(blocked);
  await expectRepairs();

  await installed([stack, certificateDefinition]);
  await eventually(async () => {
    await resync();
    expect(await api.get(certificate, 'with')).toMatchObject({ spec: { secretName: 'with' } });
    expect(await readyOf('with')).toMatchObject({ status: 'True' });
  });

  await openApi(client).remove(definitionType, id);
  await eventually(async () => {
    await resync();
    expect(await readyOf('with')).toMatchObject(blocked);
  });
  expect((await statusOf('with'))?.children?.map(({ kind }) => kind)).toContain('Certificate');
  await expectRepairs();

  await eventually(() => installed([stack, certificateDefinition]));
  await eventually(async () => {
    await resync();
    expect(await api.get(certificate, 'with')).toMatchObject({ spec: { secretName: 'with' } });
    expect(await readyOf('with')).toMatchObject({ status: 'True' });
  });
});
