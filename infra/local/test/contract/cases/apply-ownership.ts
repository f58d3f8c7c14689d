import type { ContractCase } from '../contract-case.ts';
import { applied } from '../managers.ts';
import { configMap, deployment, gadget, paths } from '../objects.ts';
import { apply, mergePatch, strategicPatch, theirs } from '../requests.ts';

const { configMaps, deployments, gadgets } = paths;
const x = `${configMaps}/x`;
const g = `${gadgets}/x`;
const handover = { fieldManager: 'ours-handover', force: 'true' };

const containers = (...names: readonly string[]) =>
  deployment('x', {
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: names.map((name) => ({ name, image: `${name}:1` })) },
    },
  });

export const cases: readonly ContractCase[] = [
  {
    id: 'dropped-field',
    reason: 'a field we no longer apply goes away',
    steps: [
      { request: apply(x, configMap('x', { a: '1', b: '2' })), expect: { status: 201 } },
      {
        request: apply(x, configMap('x', { a: '1' })),
        expect: { status: 200, at: { data: { a: '1' } } },
      },
    ],
  },
  {
    id: 'dropped-default',
    reason: 'a dropped field returns to its default',
    steps: [
      { request: apply(g, gadget('x', { size: 5 })), expect: { status: 201 } },
      {
        request: apply(g, gadget('x')),
        expect: { status: 200, body: { spec: { size: 1 }, metadata: { generation: 2 } } },
      },
      {
        request: apply(
          `${deployments}/x`,
          deployment('x', { replicas: 0, revisionHistoryLimit: 3 }),
        ),
        expect: { status: 201 },
      },
      {
        request: apply(`${deployments}/x`, deployment('x')),
        expect: { status: 200, body: { spec: { revisionHistoryLimit: 10 } } },
      },
    ],
  },
  {
    id: 'dropped-but-shared',
    reason: 'a field another manager also applies stays when we drop it',
    steps: [
      { request: apply(x, configMap('x', { a: '1', b: '2' })), expect: { status: 201 } },
      { request: apply(x, configMap('x', { b: '2' }), theirs), expect: { status: 200 } },
      {
        request: apply(x, configMap('x', { a: '1' })),
        expect: {
          status: 200,
          at: { data: { a: '1', b: '2' } },
          managers: [
            applied('theirs', 'v1', '{"f:data":{"f:b":{}}}'),
            applied('ours', 'v1', '{"f:data":{"f:a":{}}}'),
          ],
        },
      },
    ],
  },
  {
    id: 'dropped-all',
    reason: 'applying no fields gives up everything',
    steps: [
      { request: apply(x, configMap('x')), expect: { status: 201 } },
      {
        request: apply(x, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }),
        expect: { status: 200, body: { data: undefined }, managers: [] },
      },
    ],
  },
  {
    id: 'handover',
    reason:
      'a second manager takes a live value before the first lets go, so that it does not jump',
    steps: [
      {
        request: apply(`${deployments}/x`, deployment('x', { replicas: 3, paused: true })),
        expect: { status: 201 },
      },
      {
        request: apply(
          `${deployments}/x`,
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'x' },
            spec: { replicas: 3 },
          },
          handover,
        ),
        expect: { status: 200, body: { spec: { replicas: 3 } } },
      },
      {
        name: 'released',
        request: apply(`${deployments}/x`, deployment('x', { replicas: undefined, paused: true })),
        expect: { status: 200, body: { spec: { replicas: 3 }, metadata: { generation: 1 } } },
      },
      {
        request: apply(
          `${deployments}/x`,
          { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' } },
          handover,
        ),
        expect: { status: 200, body: { spec: { replicas: 1 } } },
      },
    ],
  },
  {
    id: 'dropped-item',
    reason: 'an item that only we applied goes away with the fields that others set in it',
    steps: [
      {
        request: apply(`${deployments}/x`, containers('web', 'log')),
        expect: { status: 201 },
      },
      {
        request: strategicPatch(`${deployments}/x`, {
          spec: { template: { spec: { containers: [{ name: 'log', image: 'log:2' }] } } },
        }),
        expect: { status: 200 },
      },
      {
        request: apply(`${deployments}/x`, containers('web')),
        expect: { status: 200, at: { 'spec.template.spec.containers.1': undefined } },
      },
    ],
  },
  {
    id: 'given-up-annotation',
    reason: 'keys of a map are owned separately',
    steps: [
      {
        request: apply(x, configMap({ name: 'x', annotations: { mine: '1' }, labels: { l: '1' } })),
        expect: { status: 201 },
      },
      {
        request: mergePatch(x, { metadata: { annotations: { other: '1' } } }),
        expect: { status: 200 },
      },
      {
        request: apply(x, configMap('x')),
        expect: {
          status: 200,
          at: { 'metadata.annotations': { other: '1' } },
          body: { metadata: { labels: undefined } },
        },
      },
    ],
  },
];
