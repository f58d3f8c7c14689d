import { describe, expect, it } from 'vitest';
import { child, defineChildType, defineKind, Type } from '../../index.ts';
import { createTestEnvironment, expectConverged } from '../../testing/index.ts';

const definition = defineChildType<{ spec: object }>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
});

const driver = defineChildType<{ spec: { endpoint: string } }>({
  group: 'drivers.example.org',
  version: 'v1',
  kind: 'Driver',
  plural: 'drivers',
  scope: 'Cluster',
});

const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { endpoint: { type: 'string' } } } },
  },
};

/** Installs the type Driver, and an object of it. */
const installer = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Installer',
  plural: 'installers',
  scope: 'Cluster',
  spec: Type.Object({ endpoint: Type.String(), isInstalled: Type.Boolean({ default: true }) }),
  samples: [{ name: 'drivers', spec: { endpoint: 'one' } }],
  owns: [definition, driver],
  children({ name, spec: { endpoint, isInstalled } }) {
    const { group, kind, plural, version } = driver;
    const installed = child(definition, {
      name: 'drivers.drivers.example.org',
      body: {
        spec: {
          group,
          scope: 'Cluster',
          names: { kind, plural },
          versions: [{ name: version, served: true, storage: true, schema }],
        },
      },
    });
    const needs = [{ ...installed, until: 'ready' as const }];
    if (!isInstalled) return [];
    return [installed, child(driver, { name, needs, body: { spec: { endpoint } } })];
  },
});

describe('a kind that installs the type of a child', () => {
  it('obeys the laws', { timeout: 60_000 }, async () => {
    const { children } = await expectConverged(installer);
    expect(children).toEqual([
      'CustomResourceDefinition drivers.drivers.example.org',
      'Driver drivers',
    ]);
  });

  it('waits for the CustomResourceDefinition without a Warning', async () => {
    await using env = await createTestEnvironment({ kinds: [installer] });
    await env.apply(installer, { name: 'drivers', spec: { endpoint: 'one' } });
    expect(await env.list(driver)).toEqual([]);
    await env.resync();
    expect(await env.conditions(installer, 'drivers')).toMatchObject({
      Ready: { status: 'False', reason: 'DependencyPending' },
      Reconciling: {
        message: 'Driver drivers waits for CustomResourceDefinition drivers.drivers.example.org',
      },
    });
    expect(await env.events(installer, 'drivers')).toEqual([]);
    await env.resync();
    expect(await env.children(installer, 'drivers')).toHaveLength(2);
    expect(await env.conditions(installer, 'drivers')).toMatchObject({ Ready: { status: 'True' } });
  });

  it('keeps a CustomResourceDefinition that the kind no longer wants', async () => {
    await using env = await createTestEnvironment({ kinds: [installer] });
    await env.apply(installer, { name: 'drivers', spec: { endpoint: 'one' } });
    await env.resync();
    await env.resync();
    const { group, version, kind } = driver;
    const users = {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { name: 'users' },
      spec: {},
    };
    await env.apply(users);
    await env.patch(installer, 'drivers', { body: { spec: { isInstalled: false } } });
    await env.resync();
    expect((await env.list(driver)).map(({ metadata }) => metadata.name)).toEqual(['users']);
    expect((await env.conditions(installer, 'drivers')).Stalled).toMatchObject({
      reason: 'Retained',
      message: expect.stringContaining('its deletion would delete other objects, too'),
    });
  });
});
