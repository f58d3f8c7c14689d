import { createServer, type Server, type Socket } from 'node:net';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { install } from '../../infra/generate/install.ts';
import { connect } from '../../shared/cluster/http/connection.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { configMap, service } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject, ResourceType } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import { runner } from '../reconcile/engine.ts';
import { applyManifest, openApi } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';
import { reconciler } from '../scenarios/test-cluster.ts';
import { box } from '../support/box.ts';

const namespace = 'default';
const names = Array.from({ length: 40 }, (_, at) => `box-${String(at).padStart(2, '0')}`);

let plane: ControlPlane;
let admin: ReturnType<typeof createClient>;
/** Accepts connections and never responds. */
let blackHole: Server;
const sockets = new Set<Socket>();

beforeAll(async () => {
  plane = await startControlPlane({});
  admin = createClient({ url: plane.url, ca: plane.ca, token: plane.tokens.admin });
  await install((path, manifest) => applyManifest(admin, path, manifest as JsonObject), {
    kinds: [box],
    user: reconciler,
    samples: false,
  });
  blackHole = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    blackHole.listen(0, '127.0.0.1', resolve);
  });
}, 900_000);
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  blackHole?.close();
  await admin?.close();
  await plane?.stop();
});

/** Installs a webhook for ConfigMaps of the namespace that is dead, with the default timeout of ten seconds. */
function installDeadWebhook(): Promise<unknown> {
  const { port } = blackHole.address() as { port: number };
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/dead';
  const match = { 'kubernetes.io/metadata.name': namespace };
  return applyManifest(admin, path, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'dead' },
    webhooks: [
      {
        name: 'dead.example.org',
        clientConfig: { url: `https://127.0.0.1:${port}/` },
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        namespaceSelector: { matchLabels: match },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            resources: ['configmaps'],
            operations: ['CREATE', 'UPDATE'],
          },
        ],
      },
    ],
  });
}

test('C-11 a dead webhook for ConfigMaps delays no Deployment, and two resyncs write all children', async () => {
  const api = openApi(admin, namespace);
  for (const name of names)
    await eventually(() => api.create(box, name, { spec: { maps: [name] } }));
  await installDeadWebhook();
  // The API server reads the configuration of webhooks with a delay.
  await eventually(async () => {
    const begun = Date.now();
    await api.apply(configMap, 'probe', { data: { at: String(begun) } });
    expect(Date.now() - begun).toBeGreaterThan(9_000);
  });
  const { url, ca, tokens } = plane;
  const access = async () => ({ tls: { ca }, authorization: `Bearer ${tokens.reconciler}` });
  const connection = connect({ server: url, access });
  const log = createLog(() => undefined, 'WARNING');
  const run = runner({ connection, clock: () => new Date(), log });
  const resync = () =>
    run({}, { kinds: [box], namespaces: [namespace], deadline: Date.now() + 40_000 });
  const written = async (type: ResourceType): Promise<readonly string[]> => {
    const all = await api.list(type);
    return all.map(({ metadata }) => metadata.name).filter((name) => names.includes(name));
  };
  try {
    const first = await resync();
    const maps = (await written(configMap)).length;
    console.log(`first resync: ${first.durationMs} ms, ${maps} ConfigMaps`);
    expect((await written(deployment)).toSorted()).toEqual(names);
    expect((await written(service)).toSorted()).toEqual(names);
    const second = await resync();
    console.log(`second resync: ${second.durationMs} ms`);
    expect((await written(configMap)).toSorted()).toEqual(names);
    expect(second.failures).toEqual([]);
  } finally {
    await connection.close();
  }
}, 240_000);
