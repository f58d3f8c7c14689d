import { since136 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { paths, service } from '../objects.ts';
import { apply, mergePatch, post, put } from '../requests.ts';
import { smallestObjects } from '../smallest.ts';

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
/** A claim on the volume of the namespace's name; without a size only its other fields. */
const sized = (storage?: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'x' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: '{ns}',
    volumeName: '{ns}',
    ...(storage === undefined ? {} : { resources: { requests: { storage } } }),
  },
});
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

const isFixed = 'field is immutable';

/** For kinds with few rules of their own: a change that is refused, the field and the error. */
const fixed = [
  [
    'CSIDriver',
    { spec: { attachRequired: false } },
    'spec.attachedRequired',
    `Invalid value: false: ${isFixed}`,
  ],
  [
    'CSIDriver',
    { spec: { volumeLifecycleModes: ['Ephemeral'] } },
    'spec.volumeLifecycleModes',
    `Invalid value: ["Ephemeral"]: ${isFixed}`,
  ],
  ['EndpointSlice', { addressType: 'IPv6' }, 'addressType', `Invalid value: "IPv6": ${isFixed}`],
  [
    'IngressClass',
    { spec: { controller: 'example.com/other' } },
    'spec.controller',
    `Invalid value: "example.com/other": ${isFixed}`,
  ],
  ['PriorityClass', { value: 8 }, 'value', 'Forbidden: may not be changed in an update.'],
  [
    'PriorityClass',
    { preemptionPolicy: 'Never' },
    'preemptionPolicy',
    `Invalid value: "Never": ${isFixed}`,
  ],
  [
    'ResourceQuota',
    { spec: { scopes: ['BestEffort'] } },
    'spec.scopes',
    `Invalid value: ["BestEffort"]: ${isFixed}`,
  ],
  ['RuntimeClass', { handler: 'other' }, 'handler', `Invalid value: "other": ${isFixed}`],
  [
    'StorageClass',
    { provisioner: 'example.com/other' },
    'provisioner',
    `Invalid value: "example.com/other": ${isFixed}`,
  ],
  [
    'StorageClass',
    { parameters: { a: '1' } },
    'parameters',
    `Invalid value: {"a":"1"}: ${isFixed}`,
  ],
  [
    'StorageClass',
    { reclaimPolicy: 'Retain' },
    'reclaimPolicy',
    `Invalid value: "Retain": ${isFixed}`,
  ],
  [
    'StorageClass',
    { volumeBindingMode: 'WaitForFirstConsumer' },
    'volumeBindingMode',
    `Invalid value: "WaitForFirstConsumer": ${isFixed}`,
  ],
  [
    'VolumeAttributesClass',
    { driverName: 'other.com' },
    'driverName',
    'Forbidden: updates to driverName are forbidden.',
  ],
  [
    'VolumeAttributesClass',
    { parameters: { a: '2' } },
    'parameters',
    'Forbidden: updates to parameters are forbidden.',
  ],
] as const;

const claimed = (spec: object) => ({ devices: { requests: [{ name: 'two', ...spec }] } });
const other = { exactly: { deviceClassName: 'any' } };

/** The whole spec is immutable, and the error shows it. */
const fixedSpecs = [
  ['ResourceClaim', { spec: claimed(other) }],
  ['ResourceClaimTemplate', { spec: { spec: claimed(other) } }],
] as const;

function smallestOf(kind: string) {
  const found = smallestObjects.find(({ object }) => object.kind === kind);
  if (found === undefined) throw new Error(`no smallest ${kind}`);
  const { path, object } = found;
  const [group] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : [];
  const { name } = object.metadata;
  return { path, object, name, qualified: group ? `${kind}.${group}` : kind };
}

function fixedCase([kind, change, field, message]: (typeof fixed)[number]): ContractCase {
  const { path, object, name, qualified } = smallestOf(kind);
  const reason = message.startsWith('Forbidden') ? 'FieldValueForbidden' : 'FieldValueInvalid';
  const error = invalid(qualified, name, [[field, message, reason]]);
  const isReworded = kind === 'StorageClass' && field !== 'volumeBindingMode';
  return {
    id: `fixed-${kind}-${field}`.toLowerCase().replace('.', '-'),
    reason: `${field} of a ${kind} stays`,
    steps: [
      { request: post(path, object), expect: { status: 201 } },
      {
        ...(isReworded ? { since: since136.storageClasses } : {}),
        request: mergePatch(`${path}/${name}`, change),
        expect: { status: 422, error },
      },
      {
        request: mergePatch(`${path}/${name}`, { metadata: { labels: { l: '1' } } }),
        expect: { status: 200 },
      },
    ],
  };
}

function fixedSpecCase([kind, change]: (typeof fixedSpecs)[number]): ContractCase {
  const { path, object, name } = smallestOf(kind);
  return {
    id: `fixed-${kind}`.toLowerCase(),
    reason: `the specification of a ${kind} stays`,
    steps: [
      { request: post(path, object), expect: { status: 201 } },
      {
        request: mergePatch(`${path}/${name}`, change),
        expect: { status: 422, body: { message: /spec: Invalid value: .*: field is immutable$/ } },
      },
    ],
  };
}

export const cases: readonly ContractCase[] = [
  ...fixed.map(fixedCase),
  ...fixedSpecs.map(fixedSpecCase),
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
    id: 'grown-claim',
    reason: 'a bound claim does not shrink, and an apply without its size leaves that to others',
    steps: [
      {
        request: post('/apis/storage.k8s.io/v1/storageclasses', {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'StorageClass',
          metadata: { name: '{ns}' },
          provisioner: 'example.com/none',
          allowVolumeExpansion: true,
        }),
        expect: { status: 201 },
      },
      {
        request: post('/api/v1/persistentvolumes', {
          apiVersion: 'v1',
          kind: 'PersistentVolume',
          metadata: { name: '{ns}' },
          spec: {
            capacity: { storage: '1Gi' },
            accessModes: ['ReadWriteOnce'],
            storageClassName: '{ns}',
            hostPath: { path: '/none' },
            claimRef: {
              apiVersion: 'v1',
              kind: 'PersistentVolumeClaim',
              namespace: '{ns}',
              name: 'x',
            },
          },
        }),
        expect: { status: 201 },
      },
      { request: apply(`${claims}/x`, sized('1Gi')), expect: { status: 201 } },
      {
        eventually: true,
        request: mergePatch(`${claims}/x/status`, {
          status: { phase: 'Bound', capacity: { storage: '1Gi' } },
        }),
        expect: { status: 200, body: { status: { phase: 'Bound' } } },
      },
      {
        request: mergePatch(`${claims}/x`, { spec: sized('3Gi').spec }),
        expect: { status: 200 },
      },
      {
        request: apply(`${claims}/x`, sized('1Gi')),
        expect: {
          status: 422,
          body: { message: /field can not be less than status.capacity/ },
        },
      },
      {
        request: apply(`${claims}/x`, {
          ...sized(),
          metadata: { name: 'x', labels: { tier: 'two' } },
        }),
        expect: {
          status: 200,
          at: {
            'metadata.labels': { tier: 'two' },
            'spec.resources.requests': { storage: '3Gi' },
          },
        },
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
