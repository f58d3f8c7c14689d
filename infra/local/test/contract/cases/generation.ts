import type { ContractCase, Step } from '../contract-case.ts';
import {
  autoscaler,
  configMap,
  deployment,
  gadget,
  ingress,
  paths,
  secret,
  service,
  statefulSet,
  zone,
} from '../objects.ts';
import { del, get, mergePatch, post } from '../requests.ts';

const patched = (path: string, patch: object, generation: number | undefined): Step => ({
  request: mergePatch(path, patch),
  expect: { status: 200, body: { metadata: { generation } } },
});
const labelled = { metadata: { labels: { l: '1' } } };
const annotated = { metadata: { annotations: { a: '1' } } };
const created = (path: string, body: object, generation: number | undefined): Step => ({
  request: post(path, body),
  expect: { status: 201, body: { metadata: { generation } } },
});

export const cases: readonly ContractCase[] = [
  {
    id: 'custom',
    reason: 'for a custom resource everything outside metadata and status counts',
    steps: [
      created(paths.gadgets, gadget('x'), 1),
      patched(`${paths.gadgets}/x`, labelled, 1),
      patched(`${paths.gadgets}/x`, annotated, 1),
      patched(`${paths.gadgets}/x`, { spec: { size: 2 } }, 2),
      patched(`${paths.gadgets}/x`, { spec: { size: 2 } }, 2),
      patched(`${paths.gadgets}/x/status`, { status: { replicas: 1 } }, 2),
    ],
  },
  {
    id: 'deployment',
    reason: 'for a Deployment annotations count too, as they are copied to its ReplicaSets',
    steps: [
      created(paths.deployments, deployment('x', { paused: true }), 1),
      patched(`${paths.deployments}/x`, labelled, 1),
      patched(`${paths.deployments}/x`, annotated, 2),
      patched(`${paths.deployments}/x`, { spec: { replicas: 1 } }, 3),
      patched(`${paths.deployments}/x/status`, { status: { observedGeneration: 2 } }, 3),
    ],
  },
  {
    id: 'spec-only',
    reason: 'for a StatefulSet and an Ingress only the spec counts',
    steps: [
      created(paths.statefulSets, statefulSet('x'), 1),
      patched(`${paths.statefulSets}/x`, annotated, 1),
      patched(`${paths.statefulSets}/x`, { spec: { replicas: 1 } }, 2),
      created(paths.ingresses, ingress('x'), 1),
      patched(`${paths.ingresses}/x`, annotated, 1),
      patched(`${paths.ingresses}/x`, { spec: { ingressClassName: 'a' } }, 2),
    ],
  },
  {
    id: 'none',
    reason: 'some kinds have no generation',
    steps: [
      created(paths.services, service('x'), undefined),
      patched(`${paths.services}/x`, { spec: { sessionAffinity: 'ClientIP' } }, undefined),
      created(paths.secrets, secret('x'), undefined),
      patched(`${paths.secrets}/x`, { data: { b: 'Mg==' } }, undefined),
      created(paths.configMaps, configMap('x'), undefined),
      created(paths.autoscalers, autoscaler('x'), undefined),
      patched(`${paths.autoscalers}/x`, { spec: { maxReplicas: 4 } }, undefined),
    ],
  },
  {
    id: 'no-status-subresource',
    reason: 'without the subresource status counts',
    steps: [
      created(paths.zones, zone('{ns}'), 1),
      patched(`${paths.zones}/{ns}`, { status: { phase: 'a' } }, 2),
      patched(`${paths.zones}/{ns}`, labelled, 2),
    ],
  },
  {
    id: 'deletion',
    reason: 'marking for deletion counts',
    steps: [
      created(paths.gadgets, gadget({ name: 'x', finalizers: ['example.com/hold'] }), 1),
      {
        request: del(`${paths.gadgets}/x`),
        expect: { status: 200, body: { metadata: { generation: 2 } } },
      },
      patched(`${paths.gadgets}/x`, { metadata: { finalizers: null } }, 2),
    ],
  },
  {
    id: 'observed',
    reason: 'the deployment controller reports the generation it has observed',
    steps: [
      created(paths.deployments, deployment('x'), 1),
      patched(`${paths.deployments}/x`, { spec: { replicas: 1 } }, 2),
      {
        eventually: true,
        request: get(`${paths.deployments}/x`),
        expect: {
          status: 200,
          body: {
            metadata: { generation: 2, annotations: { 'deployment.kubernetes.io/revision': '1' } },
            status: {
              observedGeneration: 2,
              replicas: 1,
              updatedReplicas: 1,
              readyReplicas: 1,
              availableReplicas: 1,
            },
          },
        },
      },
    ],
  },
];
