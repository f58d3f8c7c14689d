import { describe, expect, it } from 'vitest';
import { configMap, defineKind, Type } from '../../index.ts';
import { childTypeChecks } from '../../infra/cli/doctor/definitions.ts';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { website } from '../../systems/website.ts';
import { certificate } from '../child-types/custom-resources.ts';
import {
  definitions,
  forbidDefinitions,
  reinstall,
  useInstallation,
  visit,
} from './doctor-installation.ts';

const { ground, cluster } = useInstallation();

interface Version {
  readonly schema: {
    readonly openAPIV3Schema: {
      readonly properties: { readonly status: { readonly properties: Record<string, unknown> } };
    };
  };
  readonly subresources: { status?: unknown };
}

describe('CRDs', () => {
  it('a missing CRD is a failure, and the other kinds are still checked', async () => {
    await cluster.remove(definitions, 'foos.example.com');
    const { code, ok, failures } = await visit(ground);
    expect(code).toBe(1);
    expect(failures).toEqual(['CRD of Foo: foos.example.com is not installed']);
    expect(ok).toContain('CRD of Website: websites.kubecon.my.domain v1beta1, established');
  });

  it('a CRD that this user may not read is a warning, and a missing one a failure', async () => {
    await forbidDefinitions(cluster);
    await cluster.remove(definitions, 'foos.example.com');
    const { failures, warnings } = await visit(ground, { as: 'functions' });
    const words = 'websites.kubecon.my.domain v1beta1 is served, but its CRD could not be read';
    expect(warnings).toContain(`CRD of Website: ${words}: this user may not read it`);
    expect(failures.filter((one) => one.startsWith('CRD'))).toEqual([
      'CRD of Foo: foos.example.com v1alpha1 is not served, and its CRD could not be read: this user may not read it',
    ]);
  });

  it('a CRD that does not serve the version of the kind is a failure', async () => {
    await reinstall(cluster, website, ({ versions }) => {
      versions.push({ ...versions[0]!, name: 'v1alpha1' });
      Object.assign(versions[0]!, { served: false });
      Object.assign(versions[1]!, { storage: false });
    });
    const { code, checks } = await visit(ground);
    expect(code).toBe(1);
    expect(checks.find(({ name }) => name === 'CRD of Website')).toEqual({
      name: 'CRD of Website',
      state: 'fail',
      message: 'websites.kubecon.my.domain does not serve v1beta1',
      remedy: expect.stringMatching(
        /^KINDS=Website .*generate crds \| kubectl .* apply --server-side -f -$/,
      ),
    });
  });

  it.each<[string, string, (version: never) => void]>([
    [
      'older than the code',
      'status.lastApplied',
      ({ schema }: Version) =>
        delete schema.openAPIV3Schema.properties.status.properties.lastApplied,
    ],
    [
      'without a status subresource',
      'status subresource',
      ({ subresources }: Version) => delete subresources.status,
    ],
  ])('a CRD %s is a failure, because no status can be written', async (_, missing, change) => {
    await reinstall(cluster, website, ({ versions }) => change(versions[0] as never));
    const { code, failures } = await visit(ground);
    expect(code).toBe(1);
    expect(failures).toEqual([
      `CRD of Website: websites.kubecon.my.domain v1beta1 refuses every status that this code writes, because the CRD has no ${missing}`,
    ]);
  });

  it('a CRD whose names another CRD holds is not established', async () => {
    await cluster.remove(definitions, 'foos.example.com');
    await cluster.remove(definitions, 'websites.kubecon.my.domain');
    const other = (kind: typeof website, plural: string) => {
      const definition = structuredClone(customResourceDefinition(kind)) as never as {
        spec: { names: Record<string, string>; group: string };
      };
      definition.spec.names = { ...definition.spec.names, plural, singular: plural };
      return cluster.create(definitions, `${plural}.${definition.spec.group}`, definition as never);
    };
    await other(website, 'pages');
    const definition = customResourceDefinition(website) as never as { spec: object };
    await cluster.create(definitions, 'websites.kubecon.my.domain', {
      spec: definition.spec as never,
    });
    const { failures } = await visit(ground, { env: { KINDS: 'Website' } });
    expect(failures).toEqual([
      expect.stringMatching(/^CRD of Website: .* is not established: .*already in use/),
    ]);
  });
});

describe('namespaces', () => {
  it('a namespace in NAMESPACES that does not exist is a failure', async () => {
    const { code, checks } = await visit(ground, { env: { NAMESPACES: 'default,gone' } });
    expect(code).toBe(1);
    expect(checks.filter(({ name }) => name === 'namespaces')).toEqual([
      { name: 'namespaces', state: 'ok', message: 'default: found' },
      {
        name: 'namespaces',
        state: 'fail',
        message: 'gone is in NAMESPACES but does not exist',
        remedy: expect.stringMatching(/^kubectl .* create namespace gone$/),
      },
    ]);
    const blind = await visit(ground, { as: 'functions', env: { NAMESPACES: 'default' } });
    expect(blind.warnings.join('\n')).toMatch(/namespaces: default: could not be checked/);
  });
});

it('a type of custom children that is not served is a warning', async () => {
  const monitor = { ...certificate, kind: 'Monitor', plural: 'monitors' };
  const site = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Site',
    plural: 'sites',
    spec: Type.Object({}),
    samples: [],
    owns: [configMap, certificate, monitor],
    children: () => [],
  });
  const probe = async ({ path }: { readonly path: string }) => ({
    code: path === '/apis/certificates.example.org/v1' ? 200 : 404,
    value: { resources: [{ name: 'certificates' }] },
    message: '',
    date: undefined,
  });
  expect(await childTypeChecks(probe, [site])).toEqual([
    {
      name: 'CRD of Certificate',
      state: 'ok',
      message: 'certificates.certificates.example.org v1, served',
    },
    {
      name: 'CRD of Monitor',
      state: 'warn',
      message:
        'monitors.certificates.example.org v1 is not served, but children of Site have this type: install a CRD that serves it',
    },
  ]);
});
