import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { afterAll, beforeAll } from 'vitest';
import { install } from '../../infra/generate/install.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { runAlone } from '../cli/command-runner.ts';
import { brokerKind } from '../recordings/broker.ts';
import { cases, type ImpactGround, playImpact } from '../recordings/impact-cases.ts';
import { publishedChanges } from '../recordings/published-changes.ts';
import { shelfKind } from '../recordings/shelf.ts';
import { applyManifest, openApi } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';

/** Repeats cases of `test/recordings/impact.test.ts` on a real API server, whose recordings the embedded one judges. */
let plane: ControlPlane;
let ground: ImpactGround;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: false });
  const { url, ca, tokens, kubeconfig } = plane;
  const client = createClient({ url, ca, token: tokens.admin });
  await install((path, manifest) => applyManifest(client, path, manifest as JsonObject), {
    kinds: [shelfKind(), brokerKind()],
    user: 'operator',
    samples: false,
  });
  for (const kind of [shelfKind(), brokerKind()])
    await eventually(() => openApi(client).list(kind));
  const directory = await mkdtemp(join(tmpdir(), 'impact-'));
  await mkdir(join(directory, 'before'));
  ground = {
    api: openApi(client, 'default'),
    directory,
    run: (argv, { env = {}, ...how } = {}) =>
      runAlone(argv, { ...how, env: { KUBECONFIG: kubeconfig, ...env }, home: directory }),
  };
}, 900_000);
afterAll(async () => {
  await plane?.stop();
  await rm(ground.directory, { recursive: true, force: true });
});

playImpact(() => ground, [...cases, ...publishedChanges]);
