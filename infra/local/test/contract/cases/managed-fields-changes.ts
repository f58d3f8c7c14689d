import { since135 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { applied, updated } from '../managers.ts';
import { configMap, deployment, gadget, gadgetStatus, paths } from '../objects.ts';
import { apply, get, jsonPatch, mergePatch, post, put, theirs } from '../requests.ts';

const { configMaps, gadgets } = paths;
const x = `${configMaps}/x`;
const g = `${gadgets}/x`;

export const cases: readonly ContractCase[] = [
  {
    id: 'default-manager',
    reason: 'the default manager is the first part of the user agent',
    steps: [
      {
        request: {
          ...post(configMaps, configMap('x')),
          headers: { 'user-agent': 'some-tool/1.2 (linux)' },
        },
        expect: {
          status: 201,
          managers: [updated('some-tool', 'v1', '{"f:data":{".":{},"f:a":{}}}')],
        },
      },
    ],
  },
  {
    id: 'updates-merge',
    reason: 'writes of one manager share one entry',
    steps: [
      { request: post(configMaps, configMap('x', { a: '1' }), theirs), expect: { status: 201 } },
      { request: mergePatch(x, { data: { b: '2' } }), expect: { status: 200 } },
      {
        request: jsonPatch(x, [{ op: 'add', path: '/metadata/labels', value: { l: '1' } }]),
        expect: {
          status: 200,
          managers: [
            updated(
              'theirs',
              'v1',
              '{"f:data":{".":{},"f:a":{},"f:b":{}},"f:metadata":{"f:labels":{".":{},"f:l":{}}}}',
            ),
          ],
        },
      },
    ],
  },
  {
    id: 'no-op-keeps-entries',
    reason: 'a write that changes nothing changes no entry and takes no ownership',
    steps: [
      { name: 'made', request: apply(x, configMap('x')), expect: { status: 201 } },
      {
        request: mergePatch(x, { data: { a: '1' } }),
        expect: {
          status: 200,
          version: { sameAs: 'made' },
          at: { 'metadata.managedFields': '{made.metadata.managedFields}' },
        },
      },
      {
        request: put(x, configMap('x'), theirs),
        expect: { status: 200, version: { sameAs: 'made' } },
      },
    ],
  },
  {
    id: 'status-entry',
    reason: 'status has separate entries',
    steps: [
      { request: apply(g, gadget('x', { size: 2 })), expect: { status: 201 } },
      {
        request: apply(
          `${g}/status`,
          gadgetStatus('x', { replicas: 2, conditions: [{ type: 'Ready', status: 'True' }] }),
        ),
        expect: {
          status: 200,
          managers: [
            applied('ours', 'contract.example.com/v1', '{"f:spec":{"f:size":{}}}'),
            applied(
              'ours',
              'contract.example.com/v1',
              '{"f:status":{"f:conditions":{"k:{\\"type\\":\\"Ready\\"}":{".":{},"f:status":{},"f:type":{}}},"f:replicas":{}}}',
              'status',
            ),
          ],
        },
      },
      {
        request: mergePatch(`${g}/status`, { status: { observedGeneration: 1 } }),
        expect: {
          status: 200,
          managers: [
            applied('ours', 'contract.example.com/v1', '{"f:spec":{"f:size":{}}}'),
            applied(
              'ours',
              'contract.example.com/v1',
              '{"f:status":{"f:conditions":{"k:{\\"type\\":\\"Ready\\"}":{".":{},"f:status":{},"f:type":{}}},"f:replicas":{}}}',
              'status',
            ),
            updated(
              'theirs',
              'contract.example.com/v1',
              '{"f:status":{"f:observedGeneration":{}}}',
              'status',
            ),
          ],
        },
      },
      {
        request: apply(g, gadget('x', { size: 3 })),
        expect: {
          status: 200,
          managers: [
            applied('ours', 'contract.example.com/v1', '{"f:spec":{"f:size":{}}}'),
            applied(
              'ours',
              'contract.example.com/v1',
              '{"f:status":{"f:conditions":{"k:{\\"type\\":\\"Ready\\"}":{".":{},"f:status":{},"f:type":{}}},"f:replicas":{}}}',
              'status',
            ),
            updated(
              'theirs',
              'contract.example.com/v1',
              '{"f:status":{"f:observedGeneration":{}}}',
              'status',
            ),
          ],
        },
      },
    ],
  },
  {
    id: 'scale-entry',
    reason: 'a change through scale is recorded as that subresource',
    steps: [
      { request: apply(g, gadget('x', { size: 2 })), expect: { status: 201 } },
      {
        request: mergePatch(`${g}/scale`, { spec: { replicas: 3 } }),
        expect: { status: 200 },
      },
      {
        request: get(g),
        expect: {
          status: 200,
          body: { spec: { size: 3 } },
          managers: [
            updated('theirs', 'contract.example.com/v1', '{"f:spec":{"f:size":{}}}', 'scale'),
          ],
        },
      },
      {
        request: apply(`${paths.deployments}/x`, deployment('x', { paused: true })),
        expect: { status: 201 },
      },
      {
        request: mergePatch(`${paths.deployments}/x/scale`, { spec: { replicas: 2 } }),
        expect: { status: 200 },
      },
      {
        request: get(`${paths.deployments}/x`),
        expect: { status: 200, body: { spec: { replicas: 2 } } },
      },
    ],
  },
  {
    id: 'deployment-controller',
    reason: 'the deployment controller has its own entries',
    steps: [
      { request: apply(`${paths.deployments}/x`, deployment('x')), expect: { status: 201 } },
      {
        eventually: true,
        since: since135.terminatingReplicas,
        request: get(`${paths.deployments}/x`),
        expect: {
          status: 200,
          body: { status: { conditions: [{}, { reason: 'NewReplicaSetAvailable' }] } },
          managers: [
            applied(
              'ours',
              'apps/v1',
              '{"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"web\\"}":{".":{},"f:image":{},"f:name":{}}}}}}}',
            ),
            updated(
              'kube-controller-manager',
              'apps/v1',
              '{"f:metadata":{"f:annotations":{".":{},"f:deployment.kubernetes.io/revision":{}}},"f:status":{"f:conditions":{".":{},"k:{\\"type\\":\\"Available\\"}":{".":{},"f:lastTransitionTime":{},"f:lastUpdateTime":{},"f:message":{},"f:reason":{},"f:status":{},"f:type":{}},"k:{\\"type\\":\\"Progressing\\"}":{".":{},"f:lastTransitionTime":{},"f:lastUpdateTime":{},"f:message":{},"f:reason":{},"f:status":{},"f:type":{}}},"f:observedGeneration":{},"f:terminatingReplicas":{}}}',
              'status',
            ),
          ],
        },
      },
    ],
  },
];
