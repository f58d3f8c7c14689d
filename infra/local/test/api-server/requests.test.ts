import { describe, expect, test } from 'vitest';
import { duplicateFields } from '../../api-server/json/duplicate-fields.ts';
import { humanDuration } from '../../api-server/printing/duration.ts';
import { compileJsonPath } from '../../api-server/printing/json-path.ts';
import { createProtobufReader } from '../../api-server/protobuf/decode.ts';
import { WireError } from '../../api-server/protobuf/wire.ts';
import { negotiate } from '../../api-server/representations/media-type.ts';
import { requestInfo } from '../../api-server/requests/request-info.ts';
import { parseLabelSelector } from '../../api-server/selectors/label-selector.ts';
import { decodeToken, encodeToken } from '../../api-server/verbs/continue-token.ts';

describe('the attributes of a request', () => {
  const nothing = { group: '', version: 'v1', namespace: '', name: '', subresource: '' };
  test.each([
    { given: 'GET /api/v1/namespaces', want: { ...nothing, verb: 'list', plural: 'namespaces' } },
    {
      given: 'GET /api/v1/namespaces/a/status',
      want: { ...nothing, verb: 'get', plural: 'namespaces', name: 'a', subresource: 'status' },
    },
    {
      given: 'PUT /api/v1/namespaces/a/finalize',
      want: {
        ...nothing,
        verb: 'update',
        plural: 'namespaces',
        name: 'a',
        subresource: 'finalize',
      },
    },
    {
      given: 'PATCH /apis/apps/v1/namespaces/n/deployments/d/scale',
      want: {
        verb: 'patch',
        group: 'apps',
        version: 'v1',
        namespace: 'n',
        plural: 'deployments',
        name: 'd',
        subresource: 'scale',
      },
    },
    {
      given: 'DELETE /api/v1/namespaces/n/secrets',
      want: { ...nothing, verb: 'deletecollection', namespace: 'n', plural: 'secrets' },
    },
    {
      given: 'GET /api/v1/secrets?watch=1',
      want: { ...nothing, verb: 'watch', plural: 'secrets' },
    },
    {
      given: 'GET /api/v1/watch/secrets',
      want: { ...nothing, verb: 'watch', plural: 'secrets' },
    },
    { given: 'GET /api/v1/watch', want: undefined },
    {
      given: 'HEAD /api/v1/namespaces/a/',
      want: { ...nothing, verb: 'get', plural: 'namespaces', name: 'a', otherMethod: true },
    },
    {
      given: 'GET /api/v1/namespaces/a?watch=1',
      want: { ...nothing, verb: 'get', plural: 'namespaces', name: 'a' },
    },
    { given: 'GET /healthz', want: undefined },
    { given: 'GET /apis/apps/v1', want: undefined },
  ])('$given', ({ given, want }) => {
    const [method = '', url = ''] = given.split(' ');
    const [path = '', query = ''] = url.split('?');
    expect(requestInfo(method, path, new URLSearchParams(query))).toEqual(want);
  });
});

test.each([
  { given: '', want: { format: 'json', as: 'object' } },
  { given: 'text/html, */*', want: { format: 'json', as: 'object' } },
  { given: 'application/yaml', want: { format: 'yaml', as: 'object' } },
  {
    given: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
    want: { format: 'json', as: 'table', metaVersion: 'v1' },
  },
  {
    given: 'application/vnd.kubernetes.protobuf,application/json',
    want: { format: 'json', as: 'object' },
  },
])('Accept "$given" is answered in $want.format as $want.as', ({ given, want }) => {
  const asked = { custom: false, collection: true, watch: false };
  expect(negotiate(given, asked)).toMatchObject(want);
});

test.each([
  { given: 'a=b', labels: { a: 'b' }, want: true },
  { given: 'a!=b', labels: {}, want: true },
  { given: 'a in (b, c),!d', labels: { a: 'c' }, want: true },
  { given: 'a notin (b)', labels: { a: 'b' }, want: false },
  { given: 'a', labels: { a: '' }, want: true },
  { given: 'a==b,c', labels: { a: 'b' }, want: false },
  { given: 'n>3', labels: { n: '4' }, want: true },
])('labels $labels match $given: $want', ({ given, labels, want }) => {
  expect(parseLabelSelector(given)(labels as Record<string, string>)).toBe(want);
});

test.each([
  { given: '{"a":1,"b":{"a":2}}', want: [] },
  { given: '{"a":1,"a":2}', want: ['a'] },
  { given: '{"s":{"l":[{"x":1},{"x":1,"y":2,"x":3}]}}', want: ['s.l[1].x'] },
  { given: '{"a":"\\"a\\":1","b":"{a:1,a:2}"}', want: [] },
])('duplicate fields of $given', ({ given, want }) => {
  expect(duplicateFields(given, JSON.parse(given))).toEqual(want);
});

test.each([
  { given: '.a.b', want: [1] },
  { given: '{.l[0].x}', want: ['p'] },
  { given: '.l[?(@.t=="two")].x', want: ['q'] },
  { given: ".a['c.d']", want: [2] },
  { given: '.a.c\\.d', want: [2] },
  { given: '.l[*].x', want: ['p', 'q'] },
  { given: '.none.here', want: [] },
])('$given reads $want', ({ given, want }) => {
  const object = {
    a: { b: 1, 'c.d': 2 },
    l: [
      { t: 'one', x: 'p' },
      { t: 'two', x: 'q' },
    ],
  };
  expect(compileJsonPath(given)(object)).toEqual(want);
});

test.each([
  { given: 5, want: '5s' },
  { given: 119, want: '119s' },
  { given: 125, want: '2m5s' },
  { given: 3600, want: '60m' },
  { given: 4 * 3600 + 120, want: '4h2m' },
  { given: 3 * 86_400, want: '3d' },
  { given: 400 * 86_400, want: '400d' },
  { given: -5, want: '<invalid>' },
])('$given seconds are $want', ({ given, want }) => {
  expect(humanDuration(given)).toBe(want);
});

test('a continue token continues after its key', () => {
  expect(decodeToken(encodeToken('ns/x', 7))).toEqual({ rv: 7, start: 'ns/x\u0000' });
});

describe('protobuf', () => {
  const field = (number: number, value: string | Buffer): Buffer => {
    const bytes = Buffer.from(value);
    return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
  };
  const varint = (number: number, value: number): Buffer => Buffer.from([number << 3, value]);
  const envelope = (apiVersion: string, kind: string, ...raw: Buffer[]): Buffer =>
    Buffer.concat([
      Buffer.from('k8s\0'),
      field(1, Buffer.concat([field(1, apiVersion), field(2, kind)])),
      field(2, Buffer.concat(raw)),
    ]);

  test('is read as the JSON it stands for', () => {
    const metadata = Buffer.concat([field(1, 's'), field(3, ''), field(8, '')]);
    const entry = Buffer.concat([field(1, 'key'), field(2, 'value')]);
    const body = envelope('v1', 'Secret', field(1, metadata), field(2, entry), varint(5, 0));
    expect(createProtobufReader()(body)).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      data: { key: 'dmFsdWU=' },
      immutable: false,
    });
  });

  test.each([
    {
      reason: 'what a structure keeps as JSON is JSON',
      kind: 'ControllerRevision',
      raw: [field(2, field(1, '{"a":[1]}')), varint(3, 7)],
      want: { apiVersion: 'apps/v1', data: { a: [1] }, revision: 7 },
    },
    {
      reason: 'a pointer to zero is zero, a zero is none',
      kind: 'CronJob',
      raw: [field(2, Buffer.concat([field(1, '@daily'), varint(4, 0), varint(6, 0)]))],
      want: {
        apiVersion: 'batch/v1',
        spec: { schedule: '@daily', suspend: false, successfulJobsHistoryLimit: 0 },
      },
    },
  ])('$kind: $reason', ({ kind, raw, want }) => {
    const body = envelope(want.apiVersion, kind, ...raw);
    expect(createProtobufReader()(body)).toEqual({ kind, ...want });
  });

  test('with a text that is not JSON where JSON is kept is an error', () => {
    const body = envelope('apps/v1', 'ControllerRevision', field(2, field(1, '{"a":')));
    expect(() => createProtobufReader()(body)).toThrow(WireError);
  });

  test('of an unknown kind is undefined, and without its prefix an error', () => {
    expect(createProtobufReader()(envelope('batch/v1', 'Toy'))).toBeUndefined();
    expect(() => createProtobufReader()(Buffer.from('{}'))).toThrow('protobuf');
  });
});
