import { child, defineChildType, defineKind, Type } from '../../index.ts';

const definition = defineChildType<{ spec: object }>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
});

export const driver = defineChildType<{ spec: { endpoint: string } }>({
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
export const installer = defineKind({
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
