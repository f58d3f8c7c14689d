import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { configMap, deployment, paths, podTemplate } from '../objects.ts';
import { post, strategicPatch } from '../requests.ts';

const d = `${paths.deployments}/x`;
const container = 'spec.template.spec.containers.0';

const deployed: Step = {
  request: post(
    paths.deployments,
    deployment('x', {
      template: {
        ...podTemplate({
          args: ['1', '2'],
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
        }),
        metadata: { labels: { app: 'web' }, finalizers: ['example.com/a', 'example.com/b'] },
      },
    }),
  ),
  expect: { status: 201 },
};

const pod = (spec: object): object => ({ spec: { template: { spec } } });
const podMeta = (metadata: object): object => ({ spec: { template: { metadata } } });

const fails = (patch: unknown, message: string | RegExp): Step => ({
  request: strategicPatch(d, patch),
  expect: { status: 500, error: { message } },
});

const isMalformed = (patch: unknown, what: string): Step => ({
  request: strategicPatch(d, patch),
  expect: { status: 400, error: badRequest(`invalid patch format of ${what}`) },
});

const makes = (patch: unknown, at: Readonly<Record<string, unknown>>): Step => ({
  request: strategicPatch(d, patch),
  expect: { status: 200, at },
});

export const cases: readonly ContractCase[] = [
  {
    id: 'unknown',
    reason: 'an unknown directive is refused, with the map that contains it',
    steps: [
      deployed,
      fails({ $patch: 'frob' }, 'unknown patch type: frob in map: map[$patch:frob]'),
      fails(
        pod({ containers: [{ $patch: 'frob', name: 'web' }] }),
        'unknown patch type: frob in map: map[$patch:frob name:web]',
      ),
      fails({ spec: { $patch: 1 } }, 'unknown patch type: %!s(int64=1) in map: map[$patch:1]'),
    ],
  },
  {
    id: 'order',
    reason: 'the order in a patch must match the list and its changes',
    steps: [
      deployed,
      fails(
        pod({ '$setElementOrder/containers': 'x' }),
        'expected a []interface {}, but received a string',
      ),
      fails(
        pod({ '$setElementOrder/containers': [{ a: 'b' }] }),
        'map: map[a:b] does not contain declared merge key: name',
      ),
      fails(pod({ '$setElementOrder/containers': ['x'] }), 'value for key 0 is not a map'),
      fails(
        pod({
          '$setElementOrder/containers': [{ name: 'other' }],
          containers: [{ name: 'web', image: 'i' }],
        }),
        /^The order in patch list:\n\[map\[image:i name:web\]\]\n doesn't match \$setElementOrder list:\n\[map\[name:other\]\]\n$/,
      ),
      fails(
        pod({ '$setElementOrder/foo': [] }),
        'unable to find api field in struct PodSpec for the json field "foo"',
      ),
      isMalformed(pod({ $setElementOrder: [] }), 'setElementOrder list'),
      makes(
        pod({
          containers: [
            {
              name: 'web',
              '$setElementOrder/env': [{ name: 'B' }, { name: 'C' }, { name: 'A' }],
              env: [{ name: 'C', value: '3' }],
            },
          ],
        }),
        {
          [`${container}.env`]: [
            { name: 'B', value: '2' },
            { name: 'C', value: '3' },
            { name: 'A', value: '1' },
          ],
        },
      ),
      makes(podMeta({ '$setElementOrder/finalizers': ['example.com/b', 'example.com/a'] }), {
        'spec.template.metadata.finalizers': ['example.com/b', 'example.com/a'],
      }),
    ],
  },
  {
    id: 'items',
    reason: 'the items of a merged list are of one type and have its key',
    steps: [
      deployed,
      fails(pod({ containers: [null] }), /^list element types are not identical: /),
      fails(pod({ containers: ['x'] }), /^list element types are not identical: /),
      fails(
        pod({ containers: [{ image: 'x' }] }),
        'map: map[image:x] does not contain declared merge key: name',
      ),
      makes(podMeta({ '$deleteFromPrimitiveList/finalizers': ['example.com/b'] }), {
        'spec.template.metadata.finalizers': ['example.com/a'],
      }),
      isMalformed({ spec: { $deleteFromPrimitiveList: ['1'] } }, 'primitive list'),
      makes(
        pod({
          containers: [
            { $patch: 'delete', name: 'web' },
            { name: 'other', image: 'x' },
          ],
        }),
        { [`${container}.name`]: 'other' },
      ),
    ],
  },
  {
    id: 'retain',
    reason: 'the keys to retain must include every key of the patch',
    steps: [
      deployed,
      isMalformed({ spec: { strategy: { $retainKeys: 'type', type: 'Recreate' } } }, 'retainKeys'),
      isMalformed({ spec: { strategy: { $retainKeys: null, type: 'Recreate' } } }, 'retainKeys'),
      isMalformed(
        { spec: { strategy: { $retainKeys: ['rollingUpdate'], type: 'Recreate' } } },
        'retainKeys',
      ),
      makes(
        { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
        { 'spec.strategy': { type: 'Recreate' } },
      ),
    ],
  },
  {
    id: 'bodies',
    reason:
      'null changes nothing, the type in a patch is not looked at, what is no directive is a field',
    steps: [
      deployed,
      { request: strategicPatch(d, 'null'), expect: { status: 200 } },
      {
        request: strategicPatch(d, '[]'),
        expect: {
          status: 400,
          error: badRequest(
            'json: cannot unmarshal array into Go value of type map[string]interface {}',
          ),
        },
      },
      makes({ kind: 'Foo', apiVersion: 'apps/v2' }, { kind: 'Deployment', apiVersion: 'apps/v1' }),
      {
        request: strategicPatch(d, { spec: { $foo: 1 } }),
        expect: { status: 200, headers: { warning: '299 - "unknown field \\"spec.$foo\\""' } },
      },
      {
        request: strategicPatch(d, '{"spec":{"replicas":0,"replicas":0}}'),
        expect: {
          status: 200,
          headers: { warning: '299 - "duplicate field \\"spec.replicas\\""' },
        },
      },
      {
        request: strategicPatch(d, { $patch: 'delete' }),
        expect: {
          status: 400,
          error: badRequest(
            'the name of the object (x based on URL) was undeterminable: name must be provided',
          ),
        },
      },
      { request: post(paths.configMaps, configMap('x')), expect: { status: 201 } },
      {
        request: strategicPatch(`${paths.configMaps}/x`, { data: { $foo: '1' } }),
        expect: { status: 422 },
      },
    ],
  },
];
