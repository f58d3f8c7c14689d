import type { ContractCase } from '../contract-case.ts';
import { invalid, notFound } from '../errors.ts';
import { applied } from '../managers.ts';
import { deployment, gadget, gadgetStatus, paths, website, zone } from '../objects.ts';
import { apply, get, mergePatch, post, put, theirs } from '../requests.ts';

const g = `${paths.gadgets}/x`;
const lock = (step: string) => ({
  name: 'x',
  resourceVersion: `{${step}.metadata.resourceVersion}`,
});
const made = { name: 'made', request: apply(g, gadget('x', { size: 2 })), expect: { status: 201 } };
const ready = (status: string) => ({ conditions: [{ type: 'Ready', status }] });

export const cases: readonly ContractCase[] = [
  {
    id: 'checked-alone',
    reason: 'a status is validated alone, with paths from its own root',
    steps: [
      { request: post(paths.websites, website('x')), expect: { status: 201 } },
      {
        request: mergePatch(`${paths.websites}/x/status`, { status: 'text' }),
        expect: {
          status: 422,
          error: invalid('Website.kubecon.my.domain', 'x', [
            [
              'status',
              'Invalid value: "string":  in body must be of type object: "string"',
              'FieldValueTypeInvalid',
            ],
          ]),
        },
      },
      { request: apply(g, gadget('x', { size: 2 })), expect: { status: 201 } },
      {
        request: mergePatch(`${g}/status`, {
          status: { conditions: [{ type: 'a', status: 'True', message: {} }] },
        }),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'status.conditions[0].message',
              'Invalid value: "object": conditions[0].message in body must be of type string: "object"',
              'FieldValueTypeInvalid',
            ],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'null',
    reason: 'a null status without a status is accepted',
    steps: [
      made,
      {
        request: apply(`${g}/status`, { ...gadgetStatus('x', {}), status: null }),
        expect: {
          status: 200,
          at: { status: undefined },
          managers: [
            applied('ours', 'contract.example.com/v1', '{"f:spec":{"f:size":{}}}'),
            applied('ours', 'contract.example.com/v1', '{"f:status":{}}', 'status'),
          ],
        },
      },
    ],
  },
  {
    id: 'ignores-the-rest',
    reason: 'a status write changes neither spec nor labels',
    steps: [
      made,
      {
        name: 'written',
        request: mergePatch(`${g}/status`, {
          metadata: { labels: { l: '1' }, annotations: { a: '1' } },
          spec: { size: 9 },
          status: { replicas: 1 },
        }),
        expect: {
          status: 200,
          at: { 'spec.size': 2, status: { replicas: 1 } },
          body: { metadata: { labels: undefined, annotations: undefined, generation: 1 } },
        },
      },
      {
        request: mergePatch(`${g}/status`, { spec: { size: 8 } }),
        expect: { status: 200, version: { sameAs: 'written' } },
      },
    ],
  },
  {
    id: 'ignored-by-the-rest',
    reason: 'a write of the object leaves its status alone',
    steps: [
      made,
      {
        name: 'ready',
        request: apply(`${g}/status`, gadgetStatus('x', ready('True'))),
        expect: { status: 200 },
      },
      {
        request: mergePatch(g, { status: { replicas: 7 } }),
        expect: { status: 200, version: { sameAs: 'ready' }, at: { status: ready('True') } },
      },
      {
        request: put(g, gadget(lock('ready'), { size: 3 }), theirs),
        expect: {
          status: 200,
          at: { status: ready('True') },
          body: { metadata: { generation: 2 } },
        },
      },
      {
        request: apply(g, { ...gadget('x', { size: 4 }), status: { replicas: 7 } }),
        expect: {
          status: 200,
          at: { status: ready('True') },
          managers: [
            applied('ours', 'contract.example.com/v1', '{"f:spec":{"f:size":{}}}'),
            applied(
              'ours',
              'contract.example.com/v1',
              '{"f:status":{"f:conditions":{"k:{\\"type\\":\\"Ready\\"}":{".":{},"f:status":{},"f:type":{}}}}}',
              'status',
            ),
          ],
        },
      },
    ],
  },
  {
    id: 'deployment',
    reason: 'built-in kinds separate status in the same way',
    steps: [
      {
        request: post(paths.deployments, deployment('x', { paused: true })),
        expect: { status: 201 },
      },
      {
        request: mergePatch(`${paths.deployments}/x/status`, { spec: { replicas: 5 } }),
        expect: { status: 200, body: { spec: { replicas: 0 } } },
      },
      {
        request: mergePatch(`${paths.deployments}/x`, { status: { readyReplicas: 5 } }),
        expect: { status: 200, body: { status: { readyReplicas: undefined } } },
      },
    ],
  },
  {
    id: 'no-subresource',
    reason: 'a kind without the subresource has no such path',
    steps: [
      { request: post(paths.zones, zone('{ns}')), expect: { status: 201 } },
      {
        request: get(`${paths.zones}/{ns}/status`),
        expect: { status: 404, error: notFound('zones.cluster.example.com', '{ns}') },
      },
      {
        request: mergePatch(`${paths.zones}/{ns}`, { status: { phase: 'Open' } }),
        expect: { status: 200, body: { status: { phase: 'Open' }, metadata: { generation: 2 } } },
      },
      {
        request: get(`${paths.configMaps}/x/status`),
        expect: {
          status: 404,
          text: '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}\n',
        },
      },
    ],
  },
];
