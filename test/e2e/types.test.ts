import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { compareMinors } from '@serverless-reconciler/local-cluster/control-plane/release';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { groupResource, type JsonObject, type ResourceType } from '../../shared/kubernetes.ts';
import { applyManifest, openApi } from '../scenarios/api.ts';
import { definitionType } from '../scenarios/definitions.ts';
import { eventually } from '../scenarios/eventually.ts';
import { kindOf } from '../support/probe.ts';
import { cases, listOf } from '../types/cases.ts';
import { podCases } from '../types/in-pod.ts';

/** The limit of the annotation in which `kubectl apply` keeps a manifest. */
const mostBytes = 256 * 1024;

const podTemplate: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  plural: 'podtemplates',
};

let plane: ControlPlane;
let client: Client;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: false });
  const { url, ca, tokens } = plane;
  client = createClient({ url, ca, token: tokens.admin });
  // A new CRD takes seconds until it is served, so all are applied first.
  for (const [name, { schema }] of Object.entries(cases)) {
    const kind = kindOf(schema, name);
    const path = `/apis/apiextensions.k8s.io/v1/${definitionType.plural}/${groupResource(kind)}`;
    await applyManifest(client, path, customResourceDefinition(kind) as JsonObject);
  }
}, 900_000);
afterAll(async () => {
  await client?.close();
  await plane?.stop();
});

// `test/types/kubernetes.test.ts` asks the embedded API server for the same verdicts.
describe.each(Object.entries(cases))('%s', (name, { schema, good, bad }) => {
  test('a real API server accepts the schema in a CRD, accepts valid values and refuses others', async () => {
    const kind = kindOf(schema, name);
    expect(JSON.stringify(customResourceDefinition(kind)).length).toBeLessThan(mostBytes);
    const list = customResourceDefinition(kindOf(listOf(name, schema), `${name}List`));
    await openApi(client).dryRun(definitionType, list.metadata.name, list as JsonObject);
    await eventually(() => openApi(client).list(kind));
    const stored = (value: unknown) => storedOf(kind, value);
    for (const value of good)
      expect(await stored(value), JSON.stringify(value)).toMatchObject(value as object);
    for (const [reason, value] of Object.entries(bad))
      await expect(stored(value), reason).rejects.toMatchObject({ status: { code: 422 } });
  });
});

async function storedOf(kind: ResourceType, value: unknown): Promise<unknown> {
  const { spec } = await openApi(client, 'default').dryRun(kind, 'one', {
    spec: { value } as JsonObject,
  });
  return spec?.value;
}

/** Kubernetes 1.37 has the feature gate of this policy on. */
const since137 = 'PodSecurityContext: a policy that needs a feature gate';

test('a real API server accepts and refuses the same values in pods', async () => {
  const api = openApi(client, 'default');
  const isOn = compareMinors(plane.release.minor, '1.37') >= 0;
  const verdicts = await Promise.all(
    podCases
      .filter(({ title }) => !isOn || title !== since137)
      .map(async ({ title, spec, isGood }) => {
        const template = { metadata: { labels: { app: 'web' } }, spec };
        const body = { template };
        const refusal = await api.dryRun(podTemplate, 'one', body as JsonObject).then(
          () => undefined,
          ({ message }: Error) => message,
        );
        return (refusal === undefined) === isGood ? [] : [`${title}: ${refusal}`];
      }),
  );
  expect(verdicts.flat()).toEqual([]);
});

const objects = {
  IngressSpec: { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress', plural: 'ingresses' },
  PersistentVolumeClaimSpec: {
    group: '',
    version: 'v1',
    kind: 'PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
  },
  ServiceSpec: { group: '', version: 'v1', kind: 'Service', plural: 'services' },
} as const;

test.each(Object.entries(objects))(
  'a real API server refuses the wrong values of %s in objects',
  async (name, type) => {
    const whole = { ServiceSpec: { ports: [{ port: 80 }] } }[name] ?? {};
    const { bad } = cases[name as keyof typeof objects];
    const accepted = Object.entries(bad).map(async ([reason, value]) => {
      const body = { spec: { ...whole, ...(value as object) } } as JsonObject;
      return openApi(client, 'default')
        .dryRun(type, 'one', body)
        .then(
          () => [reason],
          ({ status }: { readonly status?: { readonly code?: number } }) =>
            status?.code === 422 || status?.code === 400 ? [] : [reason],
        );
    });
    expect((await Promise.all(accepted)).flat()).toEqual([]);
  },
);
