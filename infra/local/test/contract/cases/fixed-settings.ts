import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { paths, service } from '../objects.ts';
import { mergePatch, post, put } from '../requests.ts';

const { services } = paths;
const claims = '/api/v1/namespaces/{ns}/persistentvolumeclaims';
const own = `${paths.namespaces}/{ns}`;
const space = (fields: object) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: '{ns}' },
  ...fields,
});
const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'x' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const unchangeable = {
  status: 422,
  body: {
    details: { name: 'x', kind: 'PersistentVolumeClaim' },
    message: /spec: Forbidden: spec is immutable after creation except resources.requests/,
  },
};
const classIs = (shown: string) => ({
  status: 422,
  error: invalid('Service', 'x', [
    ['spec.loadBalancerClass', `Invalid value: ${shown}: may not change once set`],
  ]),
});

export const cases: readonly ContractCase[] = [
  {
    id: 'balancer-class',
    reason: 'another class would be another load balancer',
    steps: [
      {
        request: post(services, service('x', { type: 'LoadBalancer', loadBalancerClass: 'a.b/c' })),
        expect: { status: 201 },
      },
      {
        request: mergePatch(`${services}/x`, { spec: { loadBalancerClass: 'a.b/d' } }),
        expect: classIs('"a.b/d"'),
      },
      {
        request: mergePatch(`${services}/x`, { spec: { loadBalancerClass: null } }),
        expect: classIs('null'),
      },
    ],
  },
  {
    id: 'claim',
    reason: 'a claim is immutable',
    steps: [
      {
        request: post(claims, { ...claim, spec: { ...claim.spec, volumeName: 'v' } }),
        expect: { status: 201 },
      },
      {
        request: mergePatch(`${claims}/x`, { spec: { accessModes: ['ReadWriteMany'] } }),
        expect: unchangeable,
      },
      {
        request: mergePatch(`${claims}/x`, { spec: { volumeName: 'w' } }),
        expect: unchangeable,
      },
    ],
  },
  {
    id: 'namespace',
    reason: 'the finalizers of a namespace have names, and its phase follows from its deletion',
    steps: [
      {
        request: put(`${own}/finalize`, space({ spec: { finalizers: ['x'] } })),
        expect: {
          status: 422,
          error: invalid('Namespace', '{ns}', [
            [
              'spec.finalizers[0]',
              'Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
            ],
          ]),
        },
      },
      {
        request: put(`${own}/finalize`, space({ metadata: { name: 'other' } })),
        expect: { status: 400 },
      },
      {
        request: put(`${own}/status`, space({ status: { phase: 'Terminating' } })),
        expect: {
          status: 422,
          error: invalid('Namespace', '{ns}', [
            [
              'status.Phase',
              'Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'lease-times',
    reason: 'the times of a lease have microseconds',
    steps: [
      {
        request: post(paths.leases, {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'x' },
          spec: { renewTime: '2020-01-01T00:00:00Z' },
        }),
        expect: { status: 400 },
      },
    ],
  },
];
