import { since135 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { applied, updated } from '../managers.ts';
import { configMap, deployment, gadget, paths, service, statefulSet } from '../objects.ts';
import { apply, get, jsonPatch, mergePatch, post, put, strategicPatch } from '../requests.ts';

const { configMaps, gadgets, deployments, statefulSets, services } = paths;
const x = `${configMaps}/x`;
const g = `${gadgets}/x`;
const v1 = 'contract.example.com/v1';

export const cases: readonly ContractCase[] = [
  {
    id: 'empty-is-a-change',
    reason: 'an added empty map is a new generation of a custom resource',
    steps: [
      { request: apply(g, gadget('x')), expect: { status: 201 } },
      {
        request: mergePatch(g, { spec: { free: {} } }),
        expect: { status: 200, at: { 'metadata.generation': 2 } },
      },
    ],
  },
  {
    id: 'empty-metadata',
    reason: 'empty metadata of a custom resource has no owner, and a finalizer may be any name',
    steps: [
      {
        request: post(
          gadgets,
          gadget({ name: 'x', labels: {}, ownerReferences: [], finalizers: ['any'] }),
          { fieldManager: 'poster' },
        ),
        expect: {
          status: 201,
          managers: [
            updated(
              'poster',
              v1,
              '{"f:metadata":{"f:finalizers":{".":{},"v:\\"any\\"":{}}},"f:spec":{".":{},"f:mode":{},"f:size":{}}}',
            ),
          ],
        },
      },
      { request: mergePatch(g, { metadata: { finalizers: null } }), expect: { status: 200 } },
    ],
  },
  {
    id: 'nameless-apply',
    reason: 'an apply to an existing object may omit its name',
    steps: [
      {
        request: apply(x, { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } }),
        expect: { status: 400 },
      },
      { request: apply(x, configMap('x')), expect: { status: 201 } },
      {
        request: apply(x, { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '2' } }),
        expect: {
          status: 200,
          at: { 'data.a': '2' },
          managers: [applied('ours', 'v1', '{"f:data":{"f:a":{}}}')],
        },
      },
    ],
  },
  {
    id: 'patched-name',
    reason: 'a patch may not remove the name',
    steps: [
      { request: apply(x, configMap('x')), expect: { status: 201 } },
      {
        request: mergePatch(x, { metadata: { name: null } }),
        expect: {
          status: 400,
          error: {
            reason: 'BadRequest',
            message:
              'the name of the object (x based on URL) was undeterminable: name must be provided',
          },
        },
      },
    ],
  },
  {
    id: 'json-patch-of-nothing',
    reason: 'a missing field is copied as null, and a test of it needs its map',
    steps: [
      { request: apply(x, configMap({ name: 'x', labels: { a: '1' } })), expect: { status: 201 } },
      {
        request: jsonPatch(x, [
          { op: 'copy', from: '/metadata/labels/b', path: '/metadata/labels/a' },
        ]),
        expect: { status: 200, at: { 'metadata.labels': { a: '' } } },
      },
      {
        since: since135.testWithoutValue,
        request: jsonPatch(x, [{ op: 'test', path: '/metadata/labels/b' }]),
        expect: { status: 200 },
      },
      {
        request: jsonPatch(x, [{ op: 'test', path: '/metadata/annotations/b' }]),
        expect: { status: 422 },
      },
      { request: jsonPatch(x, [{}]), expect: { status: 422 } },
    ],
  },
  {
    id: 'strategic-on-nothing',
    reason: 'new maps and lists are taken without directives',
    steps: [
      {
        request: apply(`${services}/x`, service('x', { clusterIP: 'None', ports: [] })),
        expect: { status: 201 },
      },
      {
        request: strategicPatch(`${services}/x`, {
          metadata: { annotations: { a: '1', $patch: 'replace' } },
        }),
        expect: { status: 200, at: { 'metadata.annotations': undefined } },
      },
      {
        request: strategicPatch(`${services}/x`, {
          spec: {
            ports: [
              { name: 'a', port: 80 },
              { name: 'b', port: 80 },
            ],
          },
        }),
        expect: { status: 422 },
      },
    ],
  },
  {
    id: 'nulls-in-lists',
    reason: 'a merge patch drops null in new lists too',
    steps: [
      { request: apply(g, gadget('x')), expect: { status: 201 } },
      {
        request: mergePatch(g, { spec: { steps: [{ run: 'a', retries: null }] } }),
        expect: { status: 200, at: { 'spec.steps': [{ run: 'a', retries: 3 }] } },
      },
    ],
  },
  {
    id: 'owner-twice',
    reason: 'a duplicate owner is stored once',
    steps: [
      {
        request: post(
          configMaps,
          configMap({
            name: 'x',
            ownerReferences: Array(2).fill({
              apiVersion: 'v1',
              kind: 'ConfigMap',
              name: 'y',
              uid: '11111111-2222-4333-8444-555555555555',
            }),
          }),
        ),
        expect: { status: 201, body: { metadata: { ownerReferences: [{ name: 'y' }] } } },
      },
    ],
  },
  {
    id: 'reset-by-patch',
    reason: 'a patch too may ask for managedFields to be forgotten',
    steps: [
      { request: post(configMaps, configMap('x')), expect: { status: 201 } },
      {
        request: mergePatch(x, { metadata: { managedFields: [] } }),
        expect: { status: 200, at: { 'metadata.managedFields': undefined } },
      },
      { request: apply(g, gadget('x', { size: 2 })), expect: { status: 201 } },
      {
        request: mergePatch(g, { metadata: { managedFields: [] }, spec: { mode: 'slow' } }),
        expect: {
          status: 200,
          managers: [
            applied('ours', v1, '{"f:spec":{"f:size":{}}}'),
            updated('theirs', v1, '{"f:spec":{"f:mode":{}}}'),
          ],
        },
      },
    ],
  },
  {
    id: 'unreadable-managers',
    reason: 'invalid managedFields in an apply are a typing error',
    steps: [
      {
        request: apply(x, configMap({ name: 'x', managedFields: ['a', { manager: -1 }] })),
        expect: {
          status: 500,
          error: { message: /\.metadata\.managedFields\[0\]: expected map, got/ },
        },
      },
    ],
  },
  {
    id: 'decoded-first',
    reason: 'a decoding error is reported before the object is looked up',
    steps: [
      {
        request: put(`${deployments}/x`, deployment('x', { replicas: 'many' })),
        expect: { status: 400 },
      },
      { request: put(`${deployments}/x`, deployment('x')), expect: { status: 404 } },
    ],
  },
  {
    id: 'labels-by-status',
    reason: 'a status write may change the labels of a StatefulSet, but not of a Deployment',
    steps: [
      { request: apply(`${statefulSets}/x`, statefulSet('x')), expect: { status: 201 } },
      {
        request: mergePatch(`${statefulSets}/x/status`, { metadata: { labels: { a: '1' } } }),
        expect: { status: 200, at: { 'metadata.labels': { a: '1' } } },
      },
      { request: apply(`${deployments}/x`, deployment('x')), expect: { status: 201 } },
      {
        request: mergePatch(`${deployments}/x/status`, { metadata: { labels: { a: '1' } } }),
        expect: { status: 200 },
      },
      {
        request: get(`${deployments}/x`),
        expect: { status: 200, at: { 'metadata.labels': undefined } },
      },
    ],
  },
];
