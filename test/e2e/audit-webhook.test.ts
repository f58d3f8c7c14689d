import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditPolicy } from '../../infra/generate/audit/audit-policy.ts';
import { install } from '../../infra/generate/install.ts';
import { readLogLine } from '../../infra/log-line.ts';
import { type FunctionProcess, startFunction } from '../../infra/start/functions/load-function.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { foo } from '../../systems/foo.ts';
import { applyManifest, openApi } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';
import { condition } from '../scenarios/resources.ts';
import { reconciler } from '../scenarios/test-cluster.ts';
import { kinds } from '../support/config.ts';
import { freePort } from '../support/processes.ts';

let plane: ControlPlane;
let audit: FunctionProcess;
const lines: string[] = [];
const run = promisify(execFile);

/** Connects the audit webhook of a kube-apiserver directly to the audit function, without any resync. */
beforeAll(async () => {
  const port = await freePort();
  plane = await startControlPlane({
    auditWebhook: `http://127.0.0.1:${port}/`,
    auditPolicy: auditPolicy(kinds),
  });
  const admin = createClient({ url: plane.url, ca: plane.ca, token: plane.tokens.admin });
  await install((path, manifest) => applyManifest(admin, path, manifest as JsonObject), {
    kinds,
    user: reconciler,
    samples: false,
  });
  await admin.close();
  audit = await startFunction({
    target: 'audit',
    port,
    source: { code: new URL('../../dist/audit/index.js', import.meta.url) },
    env: {
      PATH: process.env.PATH,
      ATTRIBUTE_REPAIRS: 'true',
      KUBECONFIG: plane.kubeconfig,
      CLUSTER_CONTEXT: 'reconciler',
      OWN_IDENTITY: reconciler,
    },
    onLine: (line) => lines.push(line),
    onExit: () => undefined,
  });
}, 900_000);
afterAll(async () => {
  await audit?.stop();
  await plane?.stop();
});

test('drift is repaired through the audit webhook, and Event and log name the user', async () => {
  const client = createClient({ url: plane.url, ca: plane.ca, token: plane.tokens.admin });
  const api = openApi(client, 'default');
  const kubectl = (context: string, ...args: readonly string[]) =>
    run(plane.kubectl, ['--kubeconfig', plane.kubeconfig, '--context', context, ...args]);
  const name = `foo-${randomUUID().slice(0, 8)}`;
  await kubectl('admin', 'create', 'rolebinding', name, '--clusterrole=edit', '--user=alice');
  await eventually(() => api.create(foo, name, { spec: { deploymentName: name, replicas: 2 } }));
  await eventually(async () => {
    if ((await api.find(deployment, name)) !== undefined) return;
    // A CRD may not be served everywhere yet; a label is an edit that changes no child.
    await api.patch(foo, name, { metadata: { labels: { nudge: randomUUID() } } });
    throw new Error('the audit function has not received the Foo');
  });
  // From here on only the edits below cause runs.
  await eventually(async () =>
    expect(condition(await api.get(foo, name), 'Ready')?.status).toBe('True'),
  );
  const expectEvent = async (text: RegExp): Promise<void> => {
    await eventually(async () => {
      const events = await api.list(eventType, {
        fieldSelector: `involvedObject.name=${name},reason=Repaired`,
      });
      const messages = (events as unknown as { message: string }[]).map(({ message }) => message);
      expect(messages).toContainEqual(expect.stringMatching(text));
      const logged = lines.flatMap((line) => readLogLine(line)?.changes);
      expect(logged).toContainEqual(expect.stringMatching(text));
    });
  };

  await kubectl('alice', 'scale', `deployment/${name}`, '--replicas=5');
  await eventually(async () => expect((await api.get(deployment, name)).spec?.replicas).toBe(2));
  await expectEvent(
    /spec\.replicas 5 → 2, changed by alice with kubectl at \d\d:\d\d UTC \(audit log\)$/,
  );

  await kubectl('alice', 'delete', `deployment/${name}`, '--wait=false');
  await eventually(async () => expect(await api.find(deployment, name)).toBeDefined());
  await expectEvent(/deleted by alice with kubectl at \d\d:\d\d UTC \(audit log\)/);
  await client.close();
}, 120_000);
