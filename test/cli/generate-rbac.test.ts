import { createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { sampleManifests } from '../../infra/generate/files.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { apiVersionOf } from '../../shared/kubernetes.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { type Api, openApi } from '../scenarios/api.ts';
import { namespaceType } from '../scenarios/built-in-kinds.ts';
import { kinds } from '../support/config.ts';
import { type DoctorTestbed, openDoctorTestbed } from './doctor-installation.ts';

const user = 'functions';
const place = 'team-a';
const rbac = 'rbac.authorization.k8s.io';

let ground: DoctorTestbed;
let client: ReturnType<typeof createClient>;
let api: Api;
let elsewhere: Api;
let argv: readonly string[];
beforeAll(async () => {
  ground = await openDoctorTestbed([user]);
  client = createClient({ url: ground.cluster.url });
  api = openApi(client, place);
  elsewhere = openApi(client, 'default');
  await openApi(client).create(namespaceType, place, {});
  for (const kind of kinds) {
    const definition = customResourceDefinition(kind);
    const name = `${kind.plural}.${kind.group}`;
    await ground.apply(
      `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`,
      definition,
    );
  }
  const { out } = await ground.run(['generate', 'rbac', '--user', user, '--namespaces', place]);
  for (const document of parseAllDocuments(out)) {
    const manifest = document.toJS() as {
      kind: string;
      metadata: { name: string; namespace?: string };
    };
    const { name, namespace } = manifest.metadata;
    const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const plural = `${manifest.kind.toLowerCase()}s`;
    await ground.apply(`/apis/${rbac}/v1${within}/${plural}/${name}`, manifest);
  }
  argv = ['--kubeconfig', await ground.kubeconfig(user)];
});
afterAll(async () => {
  await client.close();
  await ground.stop();
});

const env = { NAMESPACES: place, AUTH_URL: 'https://auth.example.com/check' };
const resync = async () => {
  ground.cluster.requests.reset();
  const result = await ground.run(['resync', '-o', 'json', ...argv], env);
  const refused = ground.cluster.requests
    .list()
    .filter(({ status, user: asker }) => status === 403 && asker === user)
    .map(({ verb, resource, namespace }) => `${verb} ${resource} in "${namespace}"`);
  return { ...result, refused };
};

describe('with NAMESPACES and only Roles,', () => {
  it('children of all kinds are created, changed, repaired and pruned without a refused request', async () => {
    for (const kind of kinds)
      for (const sample of sampleManifests(kind))
        await ground.apply(
          `/apis/${apiVersionOf(kind)}/namespaces/${place}/${kind.plural}/${sample.metadata.name}`,
          sample,
        );
    const cold = await resync();
    expect(cold).toMatchObject({ code: 0, err: '', refused: [] });
    expect(JSON.parse(cold.out)).toMatchObject({ failures: [], incomplete: [] });
    const [renamed] = sampleManifests(foo);
    await api.patch(foo, renamed!.metadata.name, {
      spec: { deploymentName: 'renamed' },
    });
    await api.scale(deployment, 'website-sample', 5);
    await api.remove(service, 'website-sample');
    const again = await resync();
    expect(again).toMatchObject({ code: 0, err: '', refused: [] });
    expect(JSON.parse(again.out)).toMatchObject({
      outcomes: { created: 2, updated: 1, deleted: 1 },
    });
    const doctor = await ground.run(['doctor', ...argv], env);
    expect(doctor.code, doctor.out).toBe(0);
    const plan = await ground.run(['plan', ...argv], env);
    expect(plan).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^Cluster \S+, context local\n/),
    });
  });

  it('only the lookup of the holder of a node port is refused, and the message comes from the server', async () => {
    const ports = [{ port: 80, nodePort: 31_500 }];
    await elsewhere.create(service, 'holder', { spec: { type: 'NodePort', ports } });
    await api.create(website, 'shop', { spec: { imageTag: 'v1', nodePort: 31_500 } });
    const { code, err, refused } = await resync();
    // A denied request is sent twice, because RBAC may not be loaded yet.
    expect([...new Set(refused)]).toEqual(['list services in ""']);
    expect(code).toBe(1);
    expect(err).toMatch(
      /websites.kubecon.my.domain team-a\/shop: Invalid: .* 31500: provided port is already allocated/,
    );
    expect((await api.get(deployment, 'shop')).metadata.name).toBe('shop');
  });

  it('a run without NAMESPACES may not list the cluster', async () => {
    const { code, err } = await ground.run(['resync', ...argv], { AUTH_URL: env.AUTH_URL });
    expect(code).toBe(1);
    for (const kind of ['websites.kubecon.my.domain', 'foos.example.com'])
      expect(err).toMatch(new RegExp(`${kind} could not be reconciled: .*Forbidden`));
  });
});
