import type { ContractCase } from '../contract-case.ts';
import { applied, updated } from '../managers.ts';
import {
  configMap,
  deployment,
  gadget,
  paths,
  podTemplate,
  secret,
  service,
  zone,
} from '../objects.ts';
import { apply, mergePatch, post } from '../requests.ts';

const { configMaps, gadgets } = paths;
const x = `${configMaps}/x`;
const g = `${gadgets}/x`;

export const cases: readonly ContractCase[] = [
  {
    id: 'post-built-in',
    reason: 'a create by POST is an Update that owns the server’s defaults too',
    steps: [
      {
        request: post(paths.deployments, deployment('x'), { fieldManager: 'poster' }),
        expect: {
          status: 201,
          managers: [
            updated(
              'poster',
              'apps/v1',
              '{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"web\\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}',
            ),
          ],
        },
      },
      {
        request: post(paths.services, service('x', { type: 'NodePort' }), {
          fieldManager: 'poster',
        }),
        expect: {
          status: 201,
          managers: [
            updated(
              'poster',
              'v1',
              '{"f:spec":{"f:externalTrafficPolicy":{},"f:internalTrafficPolicy":{},"f:ports":{".":{},"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{},"f:protocol":{},"f:targetPort":{}}},"f:selector":{},"f:sessionAffinity":{},"f:type":{}}}',
            ),
          ],
        },
      },
      {
        request: post(paths.secrets, secret('x', { stringData: { a: '1' } }), {
          fieldManager: 'poster',
        }),
        expect: {
          status: 201,
          managers: [updated('poster', 'v1', '{"f:data":{".":{},"f:a":{}},"f:type":{}}')],
        },
      },
    ],
  },
  {
    id: 'post-custom',
    reason: 'the same for custom resources',
    steps: [
      {
        request: post(gadgets, gadget('x', { tags: ['a'], steps: [{ run: 'a' }] }), {
          fieldManager: 'poster',
        }),
        expect: {
          status: 201,
          managers: [
            updated(
              'poster',
              'contract.example.com/v1',
              '{"f:spec":{".":{},"f:mode":{},"f:size":{},"f:steps":{},"f:tags":{".":{},"v:\\"a\\"":{}}}}',
            ),
          ],
        },
      },
      {
        request: post(paths.zones, { ...zone('{ns}', { region: 'a' }), status: { phase: 'b' } }),
        expect: {
          status: 201,
          managers: [
            updated(
              'contract',
              'cluster.example.com/v1',
              '{"f:spec":{".":{},"f:region":{}},"f:status":{".":{},"f:phase":{}}}',
            ),
          ],
        },
      },
    ],
  },
  {
    id: 'apply-owns-no-defaults',
    reason: 'an apply owns what it sent and nothing else',
    steps: [
      {
        request: apply(`${paths.deployments}/x`, deployment('x')),
        expect: {
          status: 201,
          managers: [
            applied(
              'ours',
              'apps/v1',
              '{"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"web\\"}":{".":{},"f:image":{},"f:name":{}}}}}}}',
            ),
          ],
        },
      },
      {
        request: apply(`${paths.services}/x`, service('x', { type: 'NodePort' })),
        expect: {
          status: 201,
          managers: [
            applied(
              'ours',
              'v1',
              '{"f:spec":{"f:ports":{"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{},"f:protocol":{}}},"f:selector":{},"f:type":{}}}',
            ),
          ],
        },
      },
      {
        request: apply(g, gadget('x', { size: 2 })),
        expect: {
          status: 201,
          managers: [applied('ours', 'contract.example.com/v1', '{"f:spec":{"f:size":{}}}')],
        },
      },
    ],
  },
  {
    id: 'metadata',
    reason: 'labels, annotations, owner references and finalizers are owned, identity is not',
    steps: [
      {
        name: 'owner',
        request: apply(`${configMaps}/owner`, configMap('owner')),
        expect: { status: 201 },
      },
      {
        request: apply(
          x,
          configMap({
            name: 'x',
            namespace: '{ns}',
            labels: { l: '1' },
            annotations: { a: '1' },
            finalizers: ['example.com/f'],
            ownerReferences: [
              {
                apiVersion: 'v1',
                kind: 'ConfigMap',
                name: 'owner',
                uid: '{owner.metadata.uid}',
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
          }),
        ),
        expect: {
          status: 201,
          managers: [
            applied(
              'ours',
              'v1',
              '{"f:data":{"f:a":{}},"f:metadata":{"f:annotations":{"f:a":{}},"f:finalizers":{"v:\\"example.com/f\\"":{}},"f:labels":{"f:l":{}},"f:ownerReferences":{"k:{\\"uid\\":\\"{owner.metadata.uid}\\"}":{}}}}',
            ),
          ],
        },
      },
      {
        request: mergePatch(x, { metadata: { finalizers: null } }),
        expect: {
          status: 200,
          managers: [
            applied(
              'ours',
              'v1',
              '{"f:data":{"f:a":{}},"f:metadata":{"f:annotations":{"f:a":{}},"f:labels":{"f:l":{}},"f:ownerReferences":{"k:{\\"uid\\":\\"{owner.metadata.uid}\\"}":{}}}}',
            ),
          ],
        },
      },
    ],
  },
  {
    id: 'template-metadata',
    reason: 'keys with dots and slashes are quoted as they are',
    steps: [
      {
        request: apply(
          `${paths.deployments}/x`,
          deployment('x', {
            template: {
              ...podTemplate({ livenessProbe: { httpGet: { path: '/', port: 80 } } }),
              metadata: {
                labels: { app: 'web', 'example.com/a.b': 'c' },
                annotations: { 'k/v': '1' },
              },
            },
          }),
        ),
        expect: {
          status: 201,
          managers: [
            applied(
              'ours',
              'apps/v1',
              '{"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:annotations":{"f:k/v":{}},"f:labels":{"f:app":{},"f:example.com/a.b":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"web\\"}":{".":{},"f:image":{},"f:livenessProbe":{"f:httpGet":{"f:path":{},"f:port":{}}},"f:name":{}}}}}}}',
            ),
          ],
        },
      },
    ],
  },
];
