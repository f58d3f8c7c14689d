import { createClient } from '@serverless-reconciler/local-cluster/client';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { afterAll, beforeAll } from 'vitest';
import { install } from '../../infra/generate/install.ts';
import { connect } from '../../shared/cluster/http/connection.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import { engineUser, namespaceType, runner } from '../reconcile/engine.ts';
import { playRecords, recordKinds } from '../reconcile/record-cases.ts';
import { applyManifest, openApi } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';

/** Repeats the cases of `test/reconcile/compare-by-dry-run.test.ts` about drift on a real API server. */
let plane: ControlPlane;
let client: ReturnType<typeof createClient>;
let resync: ReturnType<typeof runner>;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: false });
  const { url, ca, tokens } = plane;
  client = createClient({ url, ca, token: tokens.admin });
  const apply = (path: string, manifest: object) =>
    applyManifest(client, path, manifest as JsonObject);
  await install(apply, { kinds: recordKinds, user: engineUser, samples: false });
  await eventually(async () => {
    for (const kind of recordKinds) await openApi(client).list(kind);
  });
  resync = runner({
    connection: connect({
      server: url,
      tls: { ca },
      authorization: async () => `Bearer ${tokens.admin}`,
    }),
    clock: () => new Date(),
    log: createLog(() => undefined, 'ERROR'),
  });
}, 900_000);
afterAll(async () => {
  await client?.close();
  await plane?.stop();
});

let places = 0;
playRecords(async () => {
  const namespace = `records-${++places}`;
  await openApi(client).create(namespaceType, namespace, {});
  return {
    api: openApi(client, namespace),
    resync: (settings) => resync({}, { ...settings, kinds: recordKinds, namespaces: [namespace] }),
  };
});
