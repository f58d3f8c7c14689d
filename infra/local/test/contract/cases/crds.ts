import type { ContractCase, Step } from '../contract-case.ts';
import { definition } from '../definitions.ts';
import { invalid } from '../errors.ts';
import { applied } from '../managers.ts';
import { paths } from '../objects.ts';
import { apply, del, get, mergePatch, post, put } from '../requests.ts';
import { crd, simpleToys, toy, toyDefinition, toys, toysWith, toyVersion } from '../toys.ts';

const registered: Step = {
  name: 'made',
  request: post(paths.definitions, simpleToys),
  expect: { status: 201 },
};

const served: Step = {
  eventually: true,
  request: get(toys.objects),
  expect: { status: 200, body: { kind: 'ToyList' } },
};

const seenByNone = {
  type: 'object',
  default: { seen: -1 },
  properties: { seen: { type: 'integer' } },
};
const secondToys = `/apis/${toys.group}/v2/namespaces/{ns}/toys`;
const secondToy = (name: string) => ({ ...toy(name), apiVersion: `${toys.group}/v2` });
const secondVersion = toyVersion({ type: 'object' }, { name: 'v2' });

export const cases: readonly ContractCase[] = [
  {
    id: 'life',
    reason: 'a definition is served once established, and takes its objects with it',
    steps: [
      { request: get(toys.objects), expect: { status: 404, text: /^404 page not found/ } },
      registered,
      {
        eventually: true,
        request: get(toys.path),
        expect: {
          status: 200,
          body: {
            metadata: { generation: 1 },
            spec: { names: toys.names, conversion: { strategy: 'None' }, scope: 'Namespaced' },
            status: {
              acceptedNames: toys.names,
              storedVersions: ['v1'],
              conditions: [
                {
                  type: 'NamesAccepted',
                  status: 'True',
                  reason: 'NoConflicts',
                  message: 'no conflicts found',
                },
                {
                  type: 'Established',
                  status: 'True',
                  reason: 'InitialNamesAccepted',
                  message: 'the initial names have been accepted',
                },
              ],
            },
          },
        },
      },
      served,
      { request: post(toys.objects, toy('x')), expect: { status: 201 } },
      { request: del(toys.path), expect: { status: 200 } },
      { eventually: true, request: get(toys.path), expect: { status: 404 } },
      { eventually: true, request: get(toys.objects), expect: { status: 404 } },
      { request: post(paths.definitions, simpleToys), expect: { status: 201 } },
      { eventually: true, request: get(toys.objects), expect: { status: 200, at: { items: [] } } },
    ],
  },
  {
    id: 'applied',
    reason: 'a definition can be applied again, and changed',
    steps: [
      {
        name: 'made',
        request: apply(toys.path, simpleToys),
        expect: {
          status: 201,
          managers: [
            applied(
              'ours',
              'apiextensions.k8s.io/v1',
              '{"f:spec":{"f:group":{},"f:names":{"f:kind":{},"f:listKind":{},"f:plural":{},"f:singular":{}},"f:scope":{},"f:versions":{}}}',
            ),
          ],
        },
      },
      served,
      {
        request: post(toys.objects, toy('x', { size: 1, color: 'red' })),
        expect: { status: 201, at: { spec: { size: 1 } } },
      },
      {
        request: apply(
          toys.path,
          toyDefinition(
            toyVersion({
              type: 'object',
              properties: { size: { type: 'integer', default: 2 }, color: { type: 'string' } },
            }),
          ),
        ),
        expect: { status: 200, body: { metadata: { generation: 2 } } },
      },
      {
        eventually: true,
        request: post(toys.objects, {
          ...toy(''),
          metadata: { generateName: 'y-' },
          spec: { color: 'red' },
        }),
        expect: { status: 201, at: { spec: { size: 2, color: 'red' } } },
      },
    ],
  },
  {
    id: 'default-on-read',
    reason: 'a new default shows in objects stored before it, at their old version',
    steps: [
      registered,
      served,
      {
        name: 'old',
        request: post(toys.objects, toy('x')),
        expect: { status: 201, at: { spec: {} } },
      },
      {
        request: apply(
          toys.path,
          toysWith({ type: 'object', properties: { size: { type: 'integer', default: 2 } } }),
        ),
        expect: { status: 200 },
      },
      {
        eventually: true,
        request: get(`${toys.objects}/x`),
        expect: { status: 200, at: { spec: { size: 2 } }, version: { sameAs: 'old' } },
      },
    ],
  },
  {
    id: 'status-default',
    reason: 'a new object has no status from its creator, but the default of its schema',
    steps: [
      {
        request: post(
          paths.definitions,
          toyDefinition({
            ...toyVersion({ type: 'object' }),
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: 'object', properties: { status: seenByNone } } },
          }),
        ),
        expect: { status: 201 },
      },
      served,
      {
        request: post(toys.objects, { ...toy('x'), status: { seen: 5 } }, { dryRun: 'All' }),
        expect: { status: 201, at: { status: { seen: -1 } } },
      },
      {
        request: post(toys.objects, { ...toy('x'), status: { seen: 5 } }),
        expect: { status: 201, at: { status: { seen: -1 } } },
      },
      {
        name: 'created',
        request: get(`${toys.objects}/x`),
        expect: { status: 200, at: { status: { seen: -1 } } },
      },
      {
        request: mergePatch(`${toys.objects}/x`, {}, { dryRun: 'All' }),
        expect: {
          status: 200,
          body: { metadata: { resourceVersion: '{created.metadata.resourceVersion}' } },
        },
      },
      {
        name: 'written',
        request: mergePatch(`${toys.objects}/x`, {}),
        expect: { status: 200, at: { status: { seen: -1 } } },
      },
      {
        request: mergePatch(`${toys.objects}/x`, {}),
        expect: {
          status: 200,
          body: { metadata: { resourceVersion: '{written.metadata.resourceVersion}' } },
        },
      },
      {
        request: mergePatch(`${toys.objects}/x/status`, { status: { seen: 1 } }),
        expect: { status: 200, at: { status: { seen: 1 } } },
      },
    ],
  },
  {
    id: 'filled-in',
    reason: 'names and defaults of the definition itself are filled in',
    steps: [
      {
        request: post(
          paths.definitions,
          definition({
            group: toys.group,
            names: { plural: 'toys', kind: 'Toy' },
            versions: [toyVersion({ type: 'object' })],
          }),
        ),
        expect: {
          status: 201,
          at: {
            'spec.names': { plural: 'toys', singular: 'toy', kind: 'Toy', listKind: 'ToyList' },
            'spec.conversion': { strategy: 'None' },
          },
        },
      },
    ],
  },
  {
    id: 'two-versions',
    reason: 'an object is read in every served version, with the defaults of the stored one',
    steps: [
      {
        request: post(
          paths.definitions,
          definition({
            group: toys.group,
            names: toys.names,
            versions: [
              toyVersion({ type: 'object', properties: { size: { type: 'integer' } } }),
              toyVersion(
                {
                  type: 'object',
                  properties: { size: { type: 'integer' }, more: { type: 'string', default: 'm' } },
                },
                { name: 'v2', storage: false },
              ),
            ],
          }),
        ),
        expect: { status: 201 },
      },
      served,
      { name: 'made', request: post(toys.objects, toy('x', { size: 1 })), expect: { status: 201 } },
      {
        request: get(`/apis/${toys.group}/v2/namespaces/{ns}/toys/x`),
        expect: {
          status: 200,
          version: { sameAs: 'made' },
          body: { apiVersion: `${toys.group}/v2` },
          at: { spec: { size: 1 } },
        },
      },
      { request: get(`/apis/${toys.group}/v3/namespaces/{ns}/toys/x`), expect: { status: 404 } },
    ],
  },
  {
    id: 'stored-versions',
    reason:
      'a version stays in a definition until nothing is stored in it, so that no object is lost',
    steps: [
      registered,
      served,
      {
        request: apply(toys.path, toyDefinition(secondVersion)),
        expect: {
          status: 422,
          error: invalid(crd, toys.name, [
            [
              'status.storedVersions[0]',
              'Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
            ],
          ]),
        },
      },
      {
        request: apply(
          toys.path,
          toyDefinition(toyVersion({ type: 'object' }, { storage: false }), secondVersion),
        ),
        expect: { status: 200, at: { 'status.storedVersions': ['v1', 'v2'] } },
      },
      {
        request: mergePatch(`${toys.path}/status`, { status: { storedVersions: ['v2'] } }),
        expect: { status: 200, at: { 'status.storedVersions': ['v2'] } },
      },
      {
        request: apply(toys.path, toyDefinition(secondVersion)),
        expect: { status: 200, at: { 'status.storedVersions': ['v2'] } },
      },
    ],
  },
  {
    id: 'dropped-version',
    reason:
      'an object that somebody wrote in a version that is dropped later takes no apply, until its managedFields no longer name that version',
    steps: [
      registered,
      served,
      { request: post(toys.objects, toy('x')), expect: { status: 201 } },
      { request: post(toys.objects, toy('y')), expect: { status: 201 } },
      {
        request: apply(
          toys.path,
          toyDefinition(toyVersion({ type: 'object' }, { storage: false }), secondVersion),
        ),
        expect: { status: 200 },
      },
      ...['x', 'y'].map(
        (name): Step => ({
          eventually: true,
          request: mergePatch(`${secondToys}/${name}`, { metadata: { labels: { a: 'b' } } }),
          expect: { status: 200 },
        }),
      ),
      {
        request: apply(
          toys.path,
          toyDefinition(
            toyVersion({ type: 'object' }, { storage: false, served: false }),
            secondVersion,
          ),
        ),
        expect: { status: 200 },
      },
      { eventually: true, request: get(toys.objects), expect: { status: 404 } },
      { request: apply(`${secondToys}/x`, secondToy('x')), expect: { status: 200 } },
      {
        request: mergePatch(`${toys.path}/status`, { status: { storedVersions: ['v2'] } }),
        expect: { status: 200 },
      },
      {
        request: apply(toys.path, toyDefinition(secondVersion)),
        expect: { status: 200 },
      },
      ...['x', 'y'].map(
        (name): Step => ({
          eventually: true,
          request: apply(`${secondToys}/${name}`, secondToy(name)),
          expect: {
            status: 500,
            error: {
              message: `request to convert CR to an invalid group/version: ${toys.group}/v1`,
            },
          },
        }),
      ),
      { name: 'read', request: get(`${secondToys}/x`), expect: { status: 200 } },
      {
        request: put(`${secondToys}/x`, {
          ...secondToy('x'),
          metadata: {
            name: 'x',
            resourceVersion: '{read.metadata.resourceVersion}',
            labels: { a: 'b' },
            managedFields: [
              {
                manager: 'first',
                operation: 'Update',
                apiVersion: `${toys.group}/v2`,
                fieldsType: 'FieldsV1',
                fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } },
              },
            ],
          },
        }),
        expect: { status: 200 },
      },
      {
        request: apply(`${secondToys}/x`, secondToy('x')),
        expect: { status: 200 },
      },
      {
        request: mergePatch(`${secondToys}/y`, { metadata: { labels: { a: 'c' } } }),
        expect: { status: 200, managers: [] },
      },
      {
        request: apply(`${secondToys}/y`, secondToy('y')),
        expect: { status: 200 },
      },
    ],
  },
  {
    id: 'immutable',
    reason: 'scope and names of a definition are immutable',
    steps: [
      registered,
      served,
      {
        request: mergePatch(toys.path, { spec: { scope: 'Cluster' } }),
        expect: {
          status: 422,
          error: invalid(crd, 'toys.{ns}.example.com', [
            ['spec.scope', 'Invalid value: "Cluster": field is immutable'],
          ]),
        },
      },
      {
        request: mergePatch(toys.path, { spec: { group: 'other.example.com' } }),
        expect: {
          status: 422,
          error: invalid(crd, 'toys.{ns}.example.com', [
            ['spec.group', 'Invalid value: "other.example.com": field is immutable'],
          ]),
        },
      },
    ],
  },
  {
    id: 'name-conflict',
    reason: 'of two definitions with a common name the second is not served',
    steps: [
      registered,
      served,
      {
        request: post(
          paths.definitions,
          definition({
            group: toys.group,
            names: { plural: 'dolls', singular: 'doll', kind: 'Toy', listKind: 'ToyList' },
            versions: [toyVersion({ type: 'object' })],
          }),
        ),
        expect: { status: 201 },
      },
      {
        eventually: true,
        request: get(`${paths.definitions}/dolls.${toys.group}`),
        expect: {
          status: 200,
          body: {
            status: {
              conditions: [
                { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict' },
                { type: 'Established', status: 'False', reason: 'NotAccepted' },
              ],
            },
          },
        },
      },
      { request: get(`/apis/${toys.group}/v1/namespaces/{ns}/dolls`), expect: { status: 404 } },
    ],
  },
];
