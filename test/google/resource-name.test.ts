import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { methodNameOf, resourceNameOf } from '../../infra/generate/audit/log-names.ts';
import type { RequestedResource } from '../../shared/audit/record.ts';
import { parseResourceName } from '../../shared/google/log-entry.ts';
import { casesOf } from '../support/cases.ts';

const cases: Record<
  string,
  { reason: string; resource: RequestedResource; method: string; name: string }
> = {
  CustomResource: {
    reason: 'the group is reversed only in the method',
    resource: {
      group: 'etcd.database.coreos.com',
      version: 'v1beta2',
      plural: 'etcdbackups',
      namespace: 'test-ns',
      name: 'x',
    },
    method: 'com.coreos.database.etcd.v1beta2.etcdbackups.update',
    name: 'etcd.database.coreos.com/v1beta2/namespaces/test-ns/etcdbackups/x',
  },
  BuiltIn: {
    reason: 'a group without a dot is under io.k8s',
    resource: {
      group: 'apps',
      version: 'v1',
      plural: 'deployments',
      namespace: 'n',
      name: 'x',
      subresource: 'scale',
    },
    method: 'io.k8s.apps.v1.deployments.scale.update',
    name: 'apps/v1/namespaces/n/deployments/x/scale',
  },
  Core: {
    reason: 'the empty group is called core',
    resource: { group: '', version: 'v1', plural: 'services', namespace: 'n' },
    method: 'io.k8s.core.v1.services.update',
    name: 'core/v1/namespaces/n/services',
  },
  Rbac: {
    reason: 'a group of three parts is reversed',
    resource: {
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      plural: 'clusterroles',
      name: 'x',
    },
    method: 'io.k8s.authorization.rbac.v1.clusterroles.update',
    name: 'rbac.authorization.k8s.io/v1/clusterroles/x',
  },
  Lease: {
    reason: 'io.k8s comes first in the method',
    resource: {
      group: 'coordination.k8s.io',
      version: 'v1',
      plural: 'leases',
      namespace: 'n',
      name: 'x',
    },
    method: 'io.k8s.coordination.v1.leases.update',
    name: 'coordination.k8s.io/v1/namespaces/n/leases/x',
  },
  Namespace: {
    reason: 'the name of a Namespace is where other objects have their namespace',
    resource: { group: '', version: 'v1', plural: 'namespaces', namespace: 'n', name: 'n' },
    method: 'io.k8s.core.v1.namespaces.update',
    name: 'core/v1/namespaces/n',
  },
  NamespaceStatus: {
    reason: 'the subresource of a Namespace is where other objects have their plural',
    resource: {
      group: '',
      version: 'v1',
      plural: 'namespaces',
      namespace: 'n',
      name: 'n',
      subresource: 'status',
    },
    method: 'io.k8s.core.v1.namespaces.status.update',
    name: 'core/v1/namespaces/n/status',
  },
  CustomFinalize: {
    reason: 'a custom resource may have the name of a subresource of Namespaces',
    resource: {
      group: 'example.com',
      version: 'v1',
      plural: 'finalize',
      namespace: 'n',
      name: 'x',
    },
    method: 'com.example.v1.finalize.update',
    name: 'example.com/v1/namespaces/n/finalize/x',
  },
  ClusterScopedStatus: {
    reason: 'the path of a cluster-scoped object has no namespace',
    resource: {
      group: 'apiextensions.k8s.io',
      version: 'v1',
      plural: 'customresourcedefinitions',
      name: 'x',
      subresource: 'status',
    },
    method: 'io.k8s.apiextensions.v1.customresourcedefinitions.status.update',
    name: 'apiextensions.k8s.io/v1/customresourcedefinitions/x/status',
  },
  AddOn: {
    reason: 'add-ons of Google have groups of their own',
    resource: { group: 'networking.gke.io', version: 'v1', plural: 'gcpinferencepoolimports' },
    method: 'io.gke.networking.v1.gcpinferencepoolimports.update',
    name: 'networking.gke.io/v1/gcpinferencepoolimports',
  },
};

describe('audit names', () => {
  it.each(casesOf(cases))('%s', (_, { resource, method, name }) => {
    expect(methodNameOf(resource, 'update')).toBe(method);
    expect(resourceNameOf(resource)).toBe(name);
    expect(parseResourceName(name)).toStrictEqual(resource);
  });

  it.each(['', 'readyz', 'api/v1', '/', '///', 'a//b'])('has no resource in %j', (name) => {
    expect(parseResourceName(name)).toBeUndefined();
  });

  it('parses any name that it formats', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const plural = label.filter((text) => !['namespaces', 'status', 'finalize'].includes(text));
    const type = fc.record({
      group: fc.oneof(
        fc.constant(''),
        label.filter((text) => text !== 'core'),
      ),
      version: label,
      plural,
    });
    const object = fc.oneof(
      fc.record({}),
      fc.record({ namespace: label }),
      fc.record({ name: label }),
      fc.record({ namespace: label, name: label, subresource: label }),
    );
    fc.assert(
      fc.property(type, object, (its, of) => {
        const resource = { ...its, ...of };
        expect(parseResourceName(resourceNameOf(resource))).toStrictEqual(resource);
      }),
    );
  });
});
