import type { ContractCase, Step } from '../contract-case.ts';
import { invalid, modified, notFound } from '../errors.ts';
import { applied, updated } from '../managers.ts';
import { deployment, gadget, gadgetStatus, paths } from '../objects.ts';
import { apply, get, mergePatch, post, put } from '../requests.ts';

const g = `${paths.gadgets}/x`;
const d = `${paths.deployments}/x`;
const made: Step = {
  name: 'made',
  request: post(paths.gadgets, gadget('x', { size: 2 })),
  expect: { status: 201 },
};
const scaleOf = (step: string, replicas: number) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'x', namespace: '{ns}', resourceVersion: `{${step}.metadata.resourceVersion}` },
  spec: { replicas },
});

export const cases: readonly ContractCase[] = [
  {
    id: 'custom-read',
    reason: 'scale shows three paths of a custom resource',
    steps: [
      made,
      {
        request: apply(`${g}/status`, gadgetStatus('x', { replicas: 1, selector: 'app=x' })),
        expect: { status: 200 },
      },
      {
        request: get(`${g}/scale`),
        expect: {
          status: 200,
          body: {
            kind: 'Scale',
            apiVersion: 'autoscaling/v1',
            metadata: { name: 'x', uid: '{made.metadata.uid}' },
          },
          at: { spec: { replicas: 2 }, status: { replicas: 1, selector: 'app=x' } },
        },
      },
    ],
  },
  {
    id: 'custom-write',
    reason: 'writing scale writes the resource',
    steps: [
      made,
      {
        name: 'scaled',
        request: put(`${g}/scale`, scaleOf('made', 4)),
        expect: { status: 200, at: { spec: { replicas: 4 } }, version: { movedSince: 'made' } },
      },
      {
        request: get(g),
        expect: {
          status: 200,
          version: { sameAs: 'scaled' },
          body: { spec: { size: 4 }, metadata: { generation: 2 } },
        },
      },
      {
        request: put(`${g}/scale`, scaleOf('made', 5)),
        expect: { status: 409, error: modified('gadgets.contract.example.com', 'x') },
      },
      {
        request: mergePatch(`${g}/scale`, { spec: { replicas: 6 } }),
        expect: { status: 200, at: { spec: { replicas: 6 } } },
      },
      {
        request: mergePatch(`${g}/scale`, { spec: { replicas: 99 } }),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.size',
              'Invalid value: 99: spec.size in body should be less than or equal to 10',
            ],
          ]),
        },
      },
      {
        request: mergePatch(`${g}/scale`, { spec: { replicas: -1 } }),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.size',
              'Invalid value: -1: spec.size in body should be greater than or equal to 0',
            ],
            ['.spec.size', 'Invalid value: -1: should be a non-negative integer'],
          ]),
        },
      },
    ],
  },
  {
    id: 'deployment',
    reason: 'the same for a Deployment, its selector as text',
    steps: [
      {
        name: 'made',
        request: post(paths.deployments, deployment('x', { replicas: 2, paused: true })),
        expect: { status: 201 },
      },
      {
        request: get(`${d}/scale`),
        expect: {
          status: 200,
          body: {
            kind: 'Scale',
            apiVersion: 'autoscaling/v1',
            spec: { replicas: 2 },
            status: { selector: 'app=web' },
          },
        },
      },
      {
        request: mergePatch(`${d}/scale`, { spec: { replicas: 3 } }),
        expect: { status: 200, at: { spec: { replicas: 3 } } },
      },
      {
        request: get(d),
        expect: { status: 200, body: { spec: { replicas: 3 }, metadata: { generation: 2 } } },
      },
      {
        request: mergePatch(`${d}/scale`, { spec: { replicas: -1 } }),
        expect: {
          status: 422,
          error: invalid('Scale.autoscaling', 'x', [
            ['spec.replicas', 'Invalid value: -1: must be greater than or equal to 0'],
          ]),
        },
      },
    ],
  },
  {
    id: 'absent',
    reason: 'a missing or unscalable object has no scale',
    steps: [
      {
        request: get(`${g}/scale`),
        expect: { status: 404, error: notFound('gadgets.contract.example.com', 'x') },
      },
      {
        request: get(`${paths.websites}/x/scale`),
        expect: { status: 404, error: notFound('websites.kubecon.my.domain', 'x') },
      },
    ],
  },
  {
    id: 'shared',
    reason: 'drift: a scaled field leaves our entry, and the next apply takes it back',
    steps: [
      { request: apply(g, gadget('x', { size: 2 })), expect: { status: 201 } },
      { request: mergePatch(`${g}/scale`, { spec: { replicas: 5 } }), expect: { status: 200 } },
      {
        request: get(g),
        expect: {
          status: 200,
          managers: [
            updated('theirs', 'contract.example.com/v1', '{"f:spec":{"f:size":{}}}', 'scale'),
          ],
        },
      },
      {
        request: apply(g, gadget('x', { size: 2 })),
        expect: {
          status: 200,
          body: { spec: { size: 2 } },
          managers: [applied('ours', 'contract.example.com/v1', '{"f:spec":{"f:size":{}}}')],
        },
      },
    ],
  },
];
