import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalCluster, startLocalCluster } from '../../cluster.ts';
import { buildControlPlane } from '../../control-plane/build.ts';
import { deployment } from '../local-client.ts';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'toys.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'toys', kind: 'Toy', shortNames: ['ty'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
        },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { size: { type: 'integer', description: 'how big', default: 1 } },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};
const toy = {
  apiVersion: 'example.com/v1',
  kind: 'Toy',
  metadata: { name: 't' },
  spec: { size: 2 },
};

describe('the stock kubectl', () => {
  let kubectl: string;
  let cluster: LocalCluster;
  let home: string;
  beforeAll(async () => {
    kubectl = join((await buildControlPlane()).directory, 'kubectl');
    cluster = await startLocalCluster();
    home = await mkdtemp(join(tmpdir(), 'kubectl-'));
    const files = {
      config: cluster.kubeconfig(),
      'web.json': JSON.stringify(deployment('web', { replicas: 2 })),
      'changed.json': JSON.stringify(deployment('web', { replicas: 3 })),
      'wrong.json': JSON.stringify(deployment('web', { bogus: 1 })),
      'definition.json': JSON.stringify(definition),
      'toy.json': JSON.stringify(toy),
    };
    await Promise.all(
      Object.entries(files).map(([name, text]) => writeFile(join(home, name), text)),
    );
  });
  afterAll(async () => {
    await cluster.stop();
    await rm(home, { recursive: true });
  });

  const run = (line: string): Promise<string> =>
    new Promise((resolve) => {
      const options = {
        cwd: home,
        env: { HOME: home, KUBECONFIG: 'config', PATH: '/usr/bin:/bin' },
      };
      execFile(kubectl, line.split(' '), options, (_error, out, errors) =>
        resolve(`${out}${errors}`),
      );
    });

  // Run in sequence: each test uses the objects of the previous ones.
  test.each([
    { given: 'get namespaces', want: /default +Active +\d+s/ },
    { given: 'apply -f web.json', want: /web created/ },
    { given: 'rollout status deployment/web --timeout=10s', want: /successfully rolled out/ },
    { given: 'apply -f web.json', want: /web unchanged/ },
    { given: 'get deploy web -o wide', want: /web +2\/2 +2 +2 +\d+s +web +nginx:1 +app=web/ },
    { given: 'diff -f changed.json', want: /\+ {2}replicas: 3/ },
    { given: 'apply -f wrong.json', want: /unknown field "spec.bogus"/ },
    { given: 'apply --server-side -f web.json', want: /serverside-applied/ },
    { given: 'scale deployment/web --replicas=4', want: /scaled/ },
    { given: 'label deployment web a=b', want: /labeled/ },
    { given: 'annotate deployment web a=b', want: /annotated/ },
    { given: 'set image deployment/web web=nginx:2', want: /image updated/ },
    { given: 'patch deployment web -p {"spec":{"paused":true}}', want: /patched/ },
    { given: 'get deployment web -o jsonpath={.spec.replicas}', want: /^4$/ },
    { given: 'describe deployment web', want: /Image: +nginx:2/ },
    { given: 'expose deployment web --port=80', want: /web exposed/ },
    { given: 'get service web', want: /ClusterIP +10\.96\.\d+\.\d+ +<none> +80\/TCP/ },
    { given: 'autoscale deployment web --min=1 --max=9', want: /autoscaled/ },
    { given: 'create secret generic s --from-literal=a=b', want: /secret\/s created/ },
    { given: 'get secret s -o yaml', want: /a: Yg==/ },
    { given: 'apply -f definition.json', want: /toys.example.com created/ },
    { given: 'wait --for=condition=Established crd/toys.example.com', want: /condition met/ },
    { given: 'apply -f toy.json', want: /t created/ },
    { given: 'get ty', want: /NAME +SIZE\nt +2/ },
    { given: 'scale toy/t --replicas=5', want: /scaled/ },
    { given: 'explain toy.spec.size', want: /how big/ },
    {
      given: 'api-resources --api-group=example.com',
      want: /toys +ty +example.com\/v1 +true +Toy/,
    },
    { given: 'auth can-i create deployments', want: /^yes/ },
    { given: 'auth whoami', want: /kubernetes-admin/ },
    { given: 'delete deployment web --cascade=foreground', want: /deleted/ },
    { given: 'delete crd toys.example.com', want: /deleted/ },
    { given: 'create namespace gone', want: /created/ },
    { given: 'delete namespace gone', want: /deleted/ },
    { given: 'create job once --image=busybox:1 -- true', want: /job.batch\/once created/ },
    { given: 'wait job once --for=condition=Complete --timeout=10s', want: /condition met/ },
    { given: 'get jobs', want: /once +Complete +1\/1/ },
    { given: 'delete job once', want: /deleted/ },
    { given: 'create cronjob often --image=busybox:1 --schedule=@hourly', want: /created/ },
    { given: 'get cronjobs', want: /often +@hourly +<none> +False +0 +<none>/ },
    { given: 'create pdb web --selector=app=web --min-available=50%', want: /created/ },
    { given: 'get pdb', want: /web +50% +N\/A +0/ },
    { given: 'create quota small --hard=pods=2', want: /created/ },
    { given: 'get quota', want: /small/ },
    { given: 'create priorityclass high --value=7', want: /created/ },
    { given: 'explain cronjob.spec.schedule', want: /<string>/ },
    { given: 'get componentstatuses', want: /doesn't have a resource type "componentstatuses"/ },
    { given: 'version', want: /Server Version: v1\.36/ },
  ])('kubectl $given', async ({ given, want }) => {
    expect(await run(given)).toMatch(want);
  });
});
