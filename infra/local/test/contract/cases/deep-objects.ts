import type { ContractCase, ErrorBody, Step } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { paths } from '../objects.ts';
import { del, get, ours, patch, post, put, theirs } from '../requests.ts';

const { configMaps, deployments, gadgets } = paths;
const x = `${configMaps}/x`;
const g = `${gadgets}/x`;

/** Builds the text of nested maps: `levels` of them around `innermost`. */
const nested = (levels: number, innermost: string, key = 'a'): string =>
  `${`{"${key}":`.repeat(levels)}${innermost}${'}'.repeat(levels)}`;

/** Matches the text of exactly this many nested maps. */
const holding = (levels: number, innermost: string, key = 'a'): RegExp =>
  new RegExp(`[^:]\\{?"[^"]*":(?:\\{"${key}":){${levels}}${innermost}\\}`);

/** Builds managedFields with one entry of this depth; managedFields are themselves five levels deep. */
const managed = (levels: number, apiVersion = 'v1'): string =>
  `[{"manager":"deep","operation":"Update","apiVersion":"${apiVersion}","fieldsType":"FieldsV1","time":"2026-01-01T00:00:00Z","fieldsV1":${nested(levels, '{}', 'f:a')}}]`;
/** Matches the entry of a manager that owns all of this many nested maps and the innermost value. */
const owned = (levels: number, innermost: string): RegExp =>
  new RegExp(
    `(?<!"f:a":\\{"\\.":\\{\\},)(?:"f:a":\\{"\\.":\\{\\},){${levels}}"f:${innermost}":\\{\\}\\}`,
  );
const recorded = (levels: number): RegExp => holding(levels, '\\{\\}', 'f:a');

const configMapWith = (managedFields: string, more = ''): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","managedFields":${managedFields}${more}},"data":{"a":"1"}}`;

/** A ConfigMap with an unknown field. */
const configMapAnd = (levels: number): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"x":${nested(levels, '{}')}}`;

/** A Gadget with a deeply nested value at `field` of its spec. */
const gadgetWith = (value: string, field = 'free'): string =>
  `{"apiVersion":"contract.example.com/v1","kind":"Gadget","metadata":{"name":"x"},"spec":{${JSON.stringify(field)}:${value}}}`;

const merge = 'application/merge-patch+json';
const jsonPatchType = 'application/json-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const applyPatchType = 'application/apply-patch+yaml';

const shownAs = (path: string, as: string): Step => ({
  request: {
    ...get(path, { includeObject: 'Object' }),
    headers: { accept: `application/json;as=${as};v=v1;g=meta.k8s.io` },
  },
  expect: { status: 200, text: recorded(6000) },
});

const tooDeep = (kind: string, beginning: string): ErrorBody =>
  badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: invalid character '{' exceeded max depth (${beginning.slice(0, 30)} ...)`,
  );

export const cases: readonly ContractCase[] = [
  {
    id: 'read',
    reason:
      'anyone may write managedFields nested thousands of levels deep, and all others read them',
    steps: [
      {
        request: post(configMaps, configMapWith(managed(6000)), theirs),
        expect: { status: 201, text: recorded(6000) },
      },
      { request: post(configMaps, { metadata: { name: 'y' } }), expect: { status: 201 } },
      {
        name: 'list',
        request: get(configMaps, { limit: '1', fieldSelector: 'metadata.name=x' }),
        expect: { status: 200, text: recorded(6000) },
      },
      { request: get(x), expect: { status: 200, text: recorded(6000) } },
      shownAs(x, 'Table'),
      shownAs(x, 'PartialObjectMetadata'),
      shownAs(configMaps, 'Table'),
      shownAs(configMaps, 'PartialObjectMetadataList'),
      {
        request: get(configMaps, {
          watch: '1',
          sendInitialEvents: 'true',
          resourceVersionMatch: 'NotOlderThan',
          fieldSelector: 'metadata.name=x',
        }),
        expect: {
          status: 200,
          text: recorded(6000),
          events: [{ type: 'ADDED', object: { metadata: { name: 'x' } } }],
        },
      },
    ],
  },
  {
    id: 'written',
    reason: 'every kind of write accepts managedFields as deep as a create does',
    steps: [
      { request: post(configMaps, configMapWith(managed(6000)), theirs), expect: { status: 201 } },
      {
        request: put(x, configMapWith(managed(5000)), theirs),
        expect: { status: 200, text: recorded(5000) },
      },
      {
        request: patch(
          jsonPatchType,
          x,
          `[{"op":"replace","path":"/metadata/managedFields","value":${managed(7000)}}]`,
          theirs,
        ),
        expect: { status: 200, text: recorded(7000) },
      },
      {
        request: patch(
          strategic,
          x,
          `{"metadata":{"managedFields":${managed(7001)}},"data":{"b":"1"}}`,
          theirs,
        ),
        expect: { status: 200, text: recorded(7001), at: { data: { a: '1', b: '1' } } },
      },
      {
        request: patch(
          merge,
          x,
          `{"metadata":{"managedFields":${managed(3000)}},"data":{"c":"1"}}`,
          theirs,
        ),
        expect: { status: 200, text: recorded(3000), at: { data: { a: '1', b: '1', c: '1' } } },
      },
      {
        request: patch(
          applyPatchType,
          x,
          '{"apiVersion":"v1","kind":"ConfigMap","data":{"d":"1"}}',
          ours,
        ),
        expect: {
          status: 200,
          text: recorded(3000),
          at: { data: { a: '1', b: '1', c: '1', d: '1' } },
        },
      },
      {
        request: patch(applyPatchType, x, configMapWith(managed(6000)), ours),
        expect: { status: 400, error: badRequest('metadata.managedFields must be nil') },
      },
      { request: del(x), expect: { status: 200 } },
      { request: get(x), expect: { status: 404 } },
    ],
  },
  {
    id: 'controlled',
    reason: 'controllers handle an object whose managedFields are deep',
    steps: [
      {
        name: 'owner',
        request: post(configMaps, { metadata: { name: 'owner' } }),
        expect: { status: 201 },
      },
      {
        request: post(
          configMaps,
          configMapWith(
            managed(6000),
            ',"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":"{owner.metadata.uid}"}]',
          ),
        ),
        expect: { status: 201 },
      },
      {
        request: post(
          deployments,
          `{"metadata":{"name":"x","managedFields":${managed(6000, 'apps/v1')}},"spec":{"replicas":0,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"x","image":"x"}]}}}}`,
        ),
        expect: { status: 201, text: recorded(6000) },
      },
      {
        request: get(`${deployments}/x`),
        expect: { status: 200, text: recorded(6000), at: { 'status.observedGeneration': 1 } },
        eventually: true,
      },
      { request: del(`${configMaps}/owner`), expect: { status: 200 } },
      { request: get(x), expect: { status: 404 }, eventually: true },
    ],
  },
  {
    id: 'custom',
    reason: 'a schema that preserves unknown fields accepts any depth',
    steps: [
      {
        request: post(gadgets, gadgetWith(nested(3000, '{"b":1}')), theirs),
        expect: { status: 201, text: holding(3000, '\\{"b":1\\}') },
      },
      {
        request: get(gadgets),
        expect: { status: 200, text: owned(3000, 'b') },
      },
      {
        name: 'same',
        request: patch(applyPatchType, g, gadgetWith(nested(3000, '{"b":1}')), {
          fieldManager: 'ours',
        }),
        expect: { status: 200, text: /"manager":"ours","operation":"Apply"/ },
      },
      {
        request: patch(applyPatchType, g, gadgetWith(nested(3000, '{"b":2}')), {
          fieldManager: 'ours',
        }),
        expect: {
          status: 409,
          error: {
            reason: 'Conflict',
            message: `Apply failed with 1 conflict: conflict with "theirs" using contract.example.com/v1: .spec.free${'.a'.repeat(3000)}.b`,
            details: {
              causes: [
                {
                  reason: 'FieldManagerConflict',
                  message: 'conflict with "theirs" using contract.example.com/v1',
                  field: `.spec.free${'.a'.repeat(3000)}.b`,
                },
              ],
            },
          },
        },
      },
      {
        request: patch(
          jsonPatchType,
          g,
          `[{"op":"test","path":"/spec/free","value":${nested(3000, '{"b":1}')}},{"op":"add","path":"/spec/free${'/a'.repeat(2999)}/c","value":1.5}]`,
          theirs,
        ),
        expect: { status: 200, text: holding(3000, '\\{"b":1\\},"c":1\\.5') },
      },
      {
        request: patch(merge, g, `{"spec":{"free":${nested(1000, 'null')}}}`, theirs),
        expect: { status: 200, text: holding(999, '\\{\\}') },
      },
    ],
  },
  {
    id: 'custom-applied',
    reason: 'applied fields are owned at any depth, and removed when no longer applied',
    steps: [
      {
        request: patch(applyPatchType, g, gadgetWith(nested(2000, '{"b":1}')), ours),
        expect: { status: 201, text: owned(2000, 'b') },
      },
      {
        request: patch(applyPatchType, g, gadgetWith(nested(2000, '{"c":1}')), ours),
        expect: { status: 200, text: holding(2000, '\\{"c":1\\}') },
      },
      {
        request: patch(applyPatchType, g, gadgetWith('{"c":1}'), ours),
        expect: { status: 200, at: { 'spec.free': { c: 1 } } },
      },
    ],
  },
  {
    id: 'dropped',
    reason: 'an unknown field is dropped, at any depth',
    steps: [
      {
        request: post(configMaps, `{"metadata":{"name":"x"},"x":${nested(9990, '{}')}}`),
        expect: { status: 201 },
      },
      {
        request: patch(strategic, x, `{"x":${nested(9990, '{}')}}`, theirs),
        expect: { status: 200 },
      },
      {
        request: patch(
          jsonPatchType,
          x,
          `[{"op":"add","path":"/x","value":${nested(9990, '{}')}}]`,
          theirs,
        ),
        expect: { status: 200 },
      },
      { request: patch(merge, x, `{"x":${nested(2500, '{}')}}`, theirs), expect: { status: 200 } },
      { request: get(x), expect: { status: 200, body: { x: undefined } } },
      {
        request: post(gadgets, gadgetWith(nested(9990, '{}'), 'unknown')),
        expect: { status: 201, body: { spec: { unknown: undefined } } },
      },
      {
        request: patch(
          applyPatchType,
          x,
          `{"apiVersion":"v1","kind":"ConfigMap","x":${nested(9000, '{}')}}`,
          ours,
        ),
        expect: {
          status: 500,
          error: {
            message:
              'failed to create typed patch object (/; /v1, Kind=ConfigMap): .x: field not declared in schema',
          },
        },
      },
    ],
  },
  {
    id: 'misplaced',
    reason: 'a refusal quotes the refused value, at any depth',
    steps: [
      {
        request: post(configMaps, `{"metadata":{"name":"x"},"data":{"a":${nested(9000, '{}')}}}`),
        expect: {
          status: 400,
          error: badRequest(/^ConfigMap in version "v1" cannot be handled as a ConfigMap: /),
        },
      },
      {
        request: post(
          configMaps,
          `{"metadata":{"name":"x","annotations":{"a":${nested(9000, '{}')}}}}`,
        ),
        expect: {
          status: 400,
          error: badRequest(/^ConfigMap in version "v1" cannot be handled as a ConfigMap: /),
        },
      },
      { request: post(configMaps, { metadata: { name: 'x' } }), expect: { status: 201 } },
      {
        request: patch(
          jsonPatchType,
          x,
          `[{"op":"add","path":"/metadata/annotations","value":{"a":${nested(2000, '{}')}}}]`,
          theirs,
        ),
        expect: {
          status: 422,
          text: /cannot unmarshal object into Go struct field ObjectMeta\.metadata\.annotations/,
        },
      },
      {
        request: patch(
          applyPatchType,
          x,
          `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":${nested(5000, '{}')}}}`,
          ours,
        ),
        expect: {
          status: 500,
          error: {
            message:
              /^failed to create typed patch object \(\/; \/v1, Kind=ConfigMap\): \.data\.a: expected string, got &value.valueUnstructured/,
          },
        },
      },
      {
        request: post(gadgets, gadgetWith(nested(5000, '{}'), 'size')),
        expect: { status: 422, text: /spec.size in body must be of type integer: \\"object\\"/ },
      },
    ],
  },
  {
    id: 'limit',
    reason: 'ten thousand levels are the limit',
    steps: [
      {
        request: post(configMaps, configMapWith(managed(9995))),
        expect: { status: 201, text: recorded(9995) },
      },
      {
        request: put(x, configMapWith(managed(9995))),
        expect: { status: 200, text: recorded(9995) },
      },
      {
        request: post(configMaps, configMapWith(managed(9996))),
        expect: {
          status: 400,
          error: tooDeep('ConfigMap', '{"apiVersion":"v1","kind":"ConfigMap"'),
        },
      },
      {
        request: put(x, configMapWith(managed(9996))),
        expect: {
          status: 400,
          error: tooDeep('ConfigMap', '{"apiVersion":"v1","kind":"ConfigMap"'),
        },
      },
      {
        request: patch(
          jsonPatchType,
          x,
          `[{"op":"copy","from":"/metadata/managedFields/0/fieldsV1","path":"/metadata/managedFields/0/fieldsV1/f:a/f:a"}]`,
          theirs,
        ),
        expect: {
          status: 422,
          error: {
            message: 'the server rejected our request due to an error in our request',
            reason: 'Invalid',
            details: {},
          },
        },
      },
      { request: get(x), expect: { status: 200, text: recorded(9995) } },
    ],
  },
  {
    id: 'limit-of-patches',
    reason: 'a patch may be as deep as an object',
    steps: [
      { request: post(configMaps, { metadata: { name: 'x' } }), expect: { status: 201 } },
      ...[merge, strategic].map((type) => ({
        request: patch(type, x, `{"x":${nested(10_000, '{}')}}`, theirs),
        expect: {
          status: 400,
          error: badRequest(/^(error decoding patch: )?invalid character '\{' exceeded max depth$/),
        },
      })),
      {
        request: patch(
          jsonPatchType,
          x,
          `[{"op":"add","path":"/x","value":${nested(9999, '{}')}}]`,
          theirs,
        ),
        expect: {
          status: 400,
          error: badRequest("error decoding patch: invalid character '{' exceeded max depth"),
        },
      },
      { request: patch(applyPatchType, x, configMapAnd(9998), ours), expect: { status: 500 } },
      {
        request: patch(applyPatchType, x, configMapAnd(10_000), ours),
        expect: {
          status: 400,
          error: badRequest(
            'error decoding YAML: error converting YAML to JSON: yaml: exceeded max depth of 10000',
          ),
        },
      },
    ],
  },
];
