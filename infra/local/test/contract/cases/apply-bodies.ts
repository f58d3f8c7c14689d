import type { ContractCase } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { configMap, gadget, paths } from '../objects.ts';
import { apply, mergePatch, ours, patch } from '../requests.ts';

const { configMaps, gadgets } = paths;
const x = `${configMaps}/x`;
const g = `${gadgets}/x`;

export const cases: readonly ContractCase[] = [
  {
    id: 'no-manager',
    reason: 'apply needs a field manager',
    steps: [
      {
        request: apply(x, configMap('x'), {}),
        expect: {
          status: 422,
          error: {
            message:
              'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
            reason: 'Invalid',
            details: {
              group: 'meta.k8s.io',
              kind: 'PatchOptions',
              causes: [
                {
                  reason: 'FieldValueRequired',
                  message: 'Required value: is required for apply patch',
                  field: 'fieldManager',
                },
              ],
            },
          },
        },
      },
      {
        request: apply(g, gadget('x'), {}),
        expect: {
          status: 422,
          error: {
            message:
              'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
            reason: 'Invalid',
            details: {
              group: 'meta.k8s.io',
              kind: 'PatchOptions',
              causes: [
                {
                  reason: 'FieldValueRequired',
                  message: 'Required value: is required for apply patch',
                  field: 'fieldManager',
                },
              ],
            },
          },
        },
      },
    ],
  },
  {
    id: 'force-elsewhere',
    reason: 'force belongs to apply alone',
    steps: [
      { request: apply(x, configMap('x')), expect: { status: 201 } },
      {
        request: mergePatch(x, {}, ours),
        expect: {
          status: 422,
          error: {
            message:
              'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
            reason: 'Invalid',
            details: {
              group: 'meta.k8s.io',
              kind: 'PatchOptions',
              causes: [
                {
                  reason: 'FieldValueForbidden',
                  message: 'Forbidden: may not be specified for non-apply patch',
                  field: 'force',
                },
              ],
            },
          },
        },
      },
    ],
  },
  {
    id: 'long-manager',
    reason: 'a manager’s name has a limit',
    steps: [
      {
        request: apply(x, configMap('x'), { fieldManager: 'm'.repeat(129) }),
        expect: {
          status: 422,
          error: {
            message:
              'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
            reason: 'Invalid',
            details: {
              group: 'meta.k8s.io',
              kind: 'PatchOptions',
              causes: [
                {
                  reason: 'FieldValueTooLong',
                  message: 'Too long: may not be more than 128 bytes',
                  field: 'fieldManager',
                },
              ],
            },
          },
        },
      },
    ],
  },
  {
    id: 'with-managed-fields',
    reason: 'an object with managedFields cannot be applied',
    steps: [
      {
        request: apply(x, configMap({ name: 'x', managedFields: [] })),
        expect: { status: 400, error: badRequest('metadata.managedFields must be nil') },
      },
    ],
  },
  {
    id: 'no-kind',
    reason: 'an applied body names its kind and version',
    steps: [
      {
        request: apply(x, { kind: 'ConfigMap', metadata: { name: 'x' } }),
        expect: { status: 400, error: badRequest('invalid object type: /, Kind=ConfigMap') },
      },
      {
        request: apply(x, { apiVersion: 'v1', metadata: { name: 'x' } }),
        expect: { status: 400, error: badRequest('invalid object type: /v1, Kind=') },
      },
      {
        request: apply(g, { kind: 'Gadget', metadata: { name: 'x' } }),
        expect: { status: 400, error: badRequest('invalid object type: /, Kind=Gadget') },
      },
      {
        request: apply(x, gadget('x')),
        expect: {
          status: 400,
          error: badRequest('invalid object type: contract.example.com/v1, Kind=Gadget'),
        },
      },
      {
        request: apply(g, configMap('x')),
        expect: { status: 400, error: badRequest('invalid object type: /v1, Kind=ConfigMap') },
      },
    ],
  },
  {
    id: 'other-name',
    reason: 'body and URL must name the same object',
    steps: [
      {
        request: apply(x, configMap('y')),
        expect: {
          status: 400,
          error: badRequest('the name of the object (y) does not match the name on the URL (x)'),
        },
      },
      {
        request: apply(g, gadget('y')),
        expect: {
          status: 400,
          error: badRequest('the name of the object (y) does not match the name on the URL (x)'),
        },
      },
      {
        request: apply(x, configMap({ name: 'x', namespace: 'elsewhere' })),
        expect: {
          status: 400,
          error: badRequest(
            'the namespace of the provided object does not match the namespace sent on the request',
          ),
        },
      },
      {
        request: apply(x, configMap({})),
        expect: {
          status: 400,
          error: badRequest(
            'the name of the object (x based on URL) was undeterminable: name must be provided',
          ),
        },
      },
    ],
  },
  {
    id: 'yaml',
    reason: 'the body may be YAML, and must be one object',
    steps: [
      {
        request: apply(
          x,
          'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: "1"\n',
        ),
        expect: { status: 201, at: { data: { a: '1' } } },
      },
      { request: apply(x, 'a: b: c'), expect: { status: 400, body: { reason: 'BadRequest' } } },
      {
        request: apply(x, '{"apiVersion"'),
        expect: { status: 400, body: { reason: 'BadRequest' } },
      },
      { request: apply(x, '[]'), expect: { status: 400, body: { reason: 'BadRequest' } } },
    ],
  },
  {
    id: 'media-type',
    reason: 'only the media types of the server are taken',
    steps: [
      {
        request: patch('application/apply-patch+json', x, configMap('x'), ours),
        expect: {
          status: 415,
          error: {
            message: '415: Unsupported Media Type',
            reason: 'UnsupportedMediaType',
            details: {},
          },
        },
      },
    ],
  },
];
