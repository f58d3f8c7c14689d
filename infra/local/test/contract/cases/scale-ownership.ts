import type { ContractCase } from '../contract-case.ts';
import { applied, updated } from '../managers.ts';
import { deployment, gadget, paths } from '../objects.ts';
import { apply, get, mergePatch, post, put } from '../requests.ts';

const { deployments, gadgets } = paths;
const g = `${gadgets}/x`;
const v1 = 'contract.example.com/v1';
const size = '{"f:spec":{"f:size":{}}}';

export const cases: readonly ContractCase[] = [
  {
    id: 'no-time',
    reason: 'an entry that a scale made has no time',
    steps: [
      {
        request: apply(`${deployments}/x`, deployment('x', { replicas: 1 })),
        expect: { status: 201 },
      },
      {
        request: mergePatch(`${deployments}/x/scale`, { spec: { replicas: 2 } }),
        expect: { status: 200 },
      },
      {
        request: get(`${deployments}/x`),
        expect: {
          status: 200,
          at: {
            'metadata.managedFields.1.subresource': 'scale',
            'metadata.managedFields.1.time': undefined,
          },
        },
      },
    ],
  },
  {
    id: 'to-zero',
    reason: 'scaling to zero takes the replicas from their owner, and records no new one',
    steps: [
      { request: apply(g, gadget('x', { size: 2 })), expect: { status: 201 } },
      {
        request: mergePatch(`${g}/scale`, { spec: { replicas: 0 } }),
        expect: { status: 200, at: { spec: {} } },
      },
      { request: get(g), expect: { status: 200, at: { 'spec.size': 0 }, managers: [] } },
    ],
  },
  {
    id: 'nobodys',
    reason: 'replicas without an owner have none after a scale',
    steps: [
      { request: apply(g, gadget('x', { mode: 'slow' })), expect: { status: 201 } },
      {
        request: mergePatch(`${g}/scale`, { spec: { replicas: 3 } }),
        expect: { status: 200 },
      },
      {
        request: get(g),
        expect: {
          status: 200,
          at: { 'spec.size': 3 },
          managers: [applied('ours', v1, '{"f:spec":{"f:mode":{}}}')],
        },
      },
    ],
  },
  {
    id: 'same',
    reason: 'a scale to the same number takes it out of an Update entry',
    steps: [
      {
        request: post(gadgets, gadget('x', { size: 2 }), { fieldManager: 'poster' }),
        expect: { status: 201 },
      },
      { request: mergePatch(`${g}/scale`, { spec: { replicas: 2 } }), expect: { status: 200 } },
      {
        request: get(g),
        expect: {
          status: 200,
          managers: [
            updated('poster', v1, size),
            updated('poster', v1, '{"f:spec":{".":{},"f:mode":{}}}'),
          ],
        },
      },
    ],
  },
  {
    id: 'unknown-fields',
    reason: 'a scale gets warnings like any write, and must have a name',
    steps: [
      { request: apply(g, gadget('x')), expect: { status: 201 } },
      {
        request: put(`${g}/scale`, { metadata: { name: 'x' }, spec: { replicas: 1 }, more: 1 }),
        expect: { status: 200, headers: { warning: /unknown field \\"more\\"/ } },
      },
      { request: put(`${g}/scale`, {}), expect: { status: 400 } },
    ],
  },
  {
    id: 'no-version',
    reason: 'a scale without apiVersion leaves the replicas without an owner',
    steps: [
      { request: apply(g, gadget('x', { size: 2, mode: 'slow' })), expect: { status: 201 } },
      ...[3, 3].flatMap((replicas) => [
        {
          request: put(`${g}/scale`, {
            kind: 'Scale',
            metadata: { name: 'x' },
            spec: { replicas },
          }),
          expect: { status: 200 },
        },
        {
          request: get(g),
          expect: {
            status: 200,
            at: { 'spec.size': 3 },
            managers: [applied('ours', v1, '{"f:spec":{"f:mode":{}}}')],
          },
        },
      ]),
    ],
  },
  {
    id: 'version-alone',
    reason: 'a scale of a custom resource is tracked by its version, the kind may be left out',
    steps: [
      { request: apply(g, gadget('x', { size: 2 })), expect: { status: 201 } },
      {
        request: put(
          `${g}/scale`,
          { apiVersion: 'autoscaling/v1', metadata: { name: 'x' }, spec: { replicas: 3 } },
          { fieldManager: 'scaler' },
        ),
        expect: { status: 200 },
      },
      {
        request: get(g),
        expect: {
          status: 200,
          at: {
            'metadata.managedFields.0.manager': 'scaler',
            'metadata.managedFields.0.subresource': 'scale',
          },
        },
      },
    ],
  },
];
