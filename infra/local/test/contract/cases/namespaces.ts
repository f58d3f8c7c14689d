import type { ContractCase } from '../contract-case.ts';
import { invalid, notFound } from '../errors.ts';
import { configMap, gadget, paths } from '../objects.ts';
import { apply, del, get, mergePatch, post } from '../requests.ts';

const path = `${paths.namespaces}/{ns}`;
const elsewhere = '/api/v1/namespaces/no-such-namespace/configmaps';
const gadgetsElsewhere = '/apis/contract.example.com/v1/namespaces/no-such-namespace/gadgets';

export const cases: readonly ContractCase[] = [
  {
    id: 'shape',
    reason: 'a namespace is active, labelled with its name and finalized by the server',
    steps: [
      {
        request: get(path),
        expect: {
          status: 200,
          at: { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } },
          body: {
            metadata: { labels: { 'kubernetes.io/metadata.name': '{ns}' }, generation: undefined },
          },
        },
      },
    ],
  },
  {
    id: 'absent',
    reason: 'nothing is created where there is no namespace',
    steps: [
      {
        request: post(elsewhere, configMap('x')),
        expect: { status: 404, error: notFound('namespaces', 'no-such-namespace') },
      },
      {
        request: post(gadgetsElsewhere, gadget('x')),
        expect: { status: 404, error: notFound('namespaces', 'no-such-namespace') },
      },
      {
        request: apply(`${elsewhere}/x`, configMap('x')),
        expect: { status: 404, error: notFound('namespaces', 'no-such-namespace') },
      },
      {
        request: apply(`${gadgetsElsewhere}/x`, gadget({ name: 'x', resourceVersion: '1' })),
        expect: { status: 404, error: notFound('namespaces', 'no-such-namespace') },
      },
      {
        request: get(`${elsewhere}/x`),
        expect: { status: 404, error: notFound('configmaps', 'x') },
      },
    ],
  },
  {
    id: 'terminating',
    reason: 'nothing is created in a terminating namespace, whose objects are deleted',
    steps: [
      {
        request: post(paths.gadgets, gadget({ name: 'held', finalizers: ['example.com/hold'] })),
        expect: { status: 201 },
      },
      { request: post(paths.configMaps, configMap('x')), expect: { status: 201 } },
      {
        request: del(path),
        expect: {
          status: 200,
          body: {
            kind: 'Namespace',
            status: { phase: 'Terminating' },
            metadata: { deletionTimestamp: /Z$/ },
          },
        },
      },
      {
        request: post(paths.configMaps, configMap('y')),
        expect: {
          status: 403,
          error: {
            message:
              'configmaps "y" is forbidden: unable to create new content in namespace {ns} because it is being terminated',
            reason: 'Forbidden',
            details: {
              name: 'y',
              kind: 'configmaps',
              causes: [
                {
                  reason: 'NamespaceTerminating',
                  message: 'namespace {ns} is being terminated',
                  field: 'metadata.namespace',
                },
              ],
            },
          },
        },
      },
      {
        request: apply(`${paths.gadgets}/y`, gadget('y')),
        expect: {
          status: 403,
          error: {
            message:
              'gadgets.contract.example.com "y" is forbidden: unable to create new content in namespace {ns} because it is being terminated',
            reason: 'Forbidden',
            details: {
              name: 'y',
              group: 'contract.example.com',
              kind: 'gadgets',
              causes: [
                {
                  reason: 'NamespaceTerminating',
                  message: 'namespace {ns} is being terminated',
                  field: 'metadata.namespace',
                },
              ],
            },
          },
        },
      },
      {
        request: post('/api/v1/namespaces/{ns}/events', {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'y' },
          involvedObject: { namespace: '{ns}' },
        }),
        expect: {
          status: 403,
          error: {
            message:
              'events "y" is forbidden: unable to create new content in namespace {ns} because it is being terminated',
            reason: 'Forbidden',
            details: {
              name: 'y',
              kind: 'events',
              causes: [
                {
                  reason: 'NamespaceTerminating',
                  message: 'namespace {ns} is being terminated',
                  field: 'metadata.namespace',
                },
              ],
            },
          },
        },
      },
      {
        request: post('/api/v1/namespaces/default/events', {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'y-{ns}' },
          involvedObject: { apiVersion: 'contract.example.com/v1', kind: 'Gadget', name: 'held' },
        }),
        expect: { status: 201 },
      },
      { eventually: true, request: get(`${paths.configMaps}/x`), expect: { status: 404 } },
      {
        eventually: true,
        request: get(`${paths.gadgets}/held`),
        expect: { status: 200, body: { metadata: { deletionTimestamp: /Z$/ } } },
      },
      {
        request: mergePatch(`${paths.gadgets}/held`, { metadata: { finalizers: null } }),
        expect: { status: 200 },
      },
      { eventually: true, request: get(path), expect: { status: 404 } },
    ],
  },
  {
    id: 'name',
    reason: 'the name of a namespace is a DNS label',
    steps: [
      {
        request: post(paths.namespaces, {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: 'a.b' },
        }),
        expect: {
          status: 422,
          error: invalid('Namespace', 'a.b', [
            ['metadata.name', 'Invalid value: "a.b": must not contain dots'],
          ]),
        },
      },
    ],
  },
  {
    id: 'protected',
    reason: 'system namespaces cannot be deleted',
    steps: [
      {
        request: del(`${paths.namespaces}/default`),
        expect: {
          status: 403,
          error: {
            message: 'namespaces "default" is forbidden: this namespace may not be deleted',
            reason: 'Forbidden',
            details: { name: 'default', kind: 'namespaces' },
          },
        },
      },
    ],
  },
];
