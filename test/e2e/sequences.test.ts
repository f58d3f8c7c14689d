import { createClient } from '@serverless-reconciler/local-cluster/client';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { install } from '../../infra/generate/install.ts';
import { connect } from '../../shared/cluster/http/connection.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import { everyReadBehind, everySequence, type Ground } from '../properties/sequences.ts';
import { engineUser, namespaceType, runner } from '../reconcile/engine.ts';
import { applyManifest, openApi } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';
import { kindsFor } from '../support/config.ts';

/** Repeats the search of `test/properties/sequences.test.ts` on a real API server, without controllers. */
let plane: ControlPlane;
let client: ReturnType<typeof createClient>;
let run: ReturnType<typeof runner>;

const kinds = kindsFor({ authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' });

beforeAll(async () => {
  plane = await startControlPlane({ controllers: false });
  const { url, ca, tokens } = plane;
  client = createClient({ url, ca, token: tokens.admin });
  const apply = (path: string, manifest: object) =>
    applyManifest(client, path, manifest as JsonObject);
  await install(apply, { kinds, user: engineUser, samples: false });
  await eventually(async () => {
    for (const kind of kinds) await openApi(client).list(kind);
  });
  run = runner({
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

const groundFor = (kind: Kind): Ground => ({
  settled: async () => undefined,
  async place() {
    const namespace = `sequences-${++places}`;
    await openApi(client).create(namespaceType, namespace, {});
    const api = openApi(client, namespace);
    return {
      api,
      resync: (settings) => run({}, { ...settings, kinds: [kind], namespaces: [namespace] }),
      async close() {
        for (const type of [kind, ...kind.owns]) await api.removeAll(type);
      },
    };
  },
});

const timeout = 300_000;

describe.each(kinds.map((kind) => [kind.kind, kind] as const))('%s', (_, kind) => {
  test(
    'every sequence of edits and crashes ends like a fresh resource',
    () => everySequence(groundFor(kind), kind, 40),
    timeout,
  );

  test(
    'a run whose reads are all stale overwrites no child',
    () => everyReadBehind(groundFor(kind), kind, 30),
    timeout,
  );
});
