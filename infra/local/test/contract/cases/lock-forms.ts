import type { ContractCase } from '../contract-case.ts';
import { conflict, modified } from '../errors.ts';
import { configMap, deployment, paths } from '../objects.ts';
import { apply, get, jsonPatch, mergePatch, ours, put } from '../requests.ts';

const absent = { name: 'x', resourceVersion: '1' };
const someUid = '7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11';
const stale = modified('configmaps', 'x');
const x = `${paths.configMaps}/x`;

export const cases: readonly ContractCase[] = [
  {
    id: 'zero-is-no-lock',
    reason: 'resourceVersion 0 is not a lock',
    steps: [
      {
        request: apply(x, configMap({ name: 'x', resourceVersion: '0' })),
        expect: { status: 201 },
      },
      {
        request: apply(x, configMap({ name: 'x', resourceVersion: '0' }, { a: '2' })),
        expect: { status: 200, body: { data: { a: '2' } } },
      },
    ],
  },
  {
    id: 'version-without-uid',
    reason: 'the trap: an old version alone recreates a deleted object, so the uid is sent too',
    steps: [
      {
        request: apply(x, configMap({ name: 'x', resourceVersion: '5' })),
        expect: { status: 201 },
      },
    ],
  },
  {
    id: 'uid-alone',
    reason: 'a uid without a version still refuses another object of the same name',
    steps: [
      { name: 'made', request: apply(x, configMap('x')), expect: { status: 201 } },
      {
        request: apply(x, configMap({ name: 'x', uid: '{made.metadata.uid}' }, { a: '2' })),
        expect: { status: 200, version: { movedSince: 'made' } },
      },
      {
        request: apply(x, configMap({ name: 'x', uid: someUid }, { a: '3' })),
        expect: {
          status: 422,
          error: {
            message:
              'ConfigMap "x" is invalid: metadata.uid: Invalid value: "7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11": field is immutable',
            reason: 'Invalid',
            details: {
              name: 'x',
              kind: 'ConfigMap',
              causes: [
                {
                  reason: 'FieldValueInvalid',
                  message:
                    'Invalid value: "7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11": field is immutable',
                  field: 'metadata.uid',
                },
                {
                  reason: 'FieldValueInvalid',
                  message:
                    'Invalid value: "7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11": field is immutable',
                  field: 'metadata.uid',
                },
              ],
            },
          },
        },
      },
    ],
  },
  {
    id: 'bad-version',
    reason: 'a version that is not a number is refused',
    steps: [
      { request: apply(x, configMap('x')), expect: { status: 201 } },
      {
        request: apply(x, configMap({ name: 'x', resourceVersion: 'abc' })),
        expect: {
          status: 500,
          error: { message: 'strconv.ParseUint: parsing "abc": invalid syntax' },
        },
      },
    ],
  },
  {
    id: 'put',
    reason: 'replacing is locked by the version in the body, checked before anything else',
    steps: [
      { name: 'first', request: apply(x, configMap('x')), expect: { status: 201 } },
      {
        name: 'second',
        request: put(
          x,
          configMap({ name: 'x', resourceVersion: '{first.metadata.resourceVersion}' }, { a: '2' }),
        ),
        expect: { status: 200, version: { movedSince: 'first' } },
      },
      {
        request: put(
          x,
          configMap({ name: 'x', resourceVersion: '{first.metadata.resourceVersion}' }, { a: '3' }),
        ),
        expect: { status: 409, error: stale },
      },
      {
        request: put(
          x,
          configMap(
            { name: 'x', resourceVersion: '{first.metadata.resourceVersion}' },
            { 'not valid': '3' },
          ),
        ),
        expect: { status: 409, error: stale },
      },
      {
        request: put(x, configMap({ name: 'x', uid: someUid }, { a: '3' })),
        expect: {
          status: 409,
          error: conflict(
            'configmaps',
            'x',
            'StorageError: invalid object, Code: 4, Key: /registry/configmaps/{ns}/x, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: 7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11, UID in object meta: {first.metadata.uid}',
          ),
        },
      },
    ],
  },
  {
    id: 'merge-patch',
    reason: 'a patch may carry the lock too',
    steps: [
      { name: 'first', request: apply(x, configMap('x')), expect: { status: 201 } },
      {
        request: mergePatch(x, {
          metadata: { resourceVersion: '{first.metadata.resourceVersion}' },
          data: { a: '2' },
        }),
        expect: { status: 200, version: { movedSince: 'first' } },
      },
      {
        request: mergePatch(x, {
          metadata: { resourceVersion: '{first.metadata.resourceVersion}' },
          data: { a: '3' },
        }),
        expect: { status: 409, error: stale },
      },
      {
        request: mergePatch(x, { metadata: { uid: someUid }, data: { a: '3' } }),
        expect: {
          status: 422,
          error: {
            message:
              'ConfigMap "x" is invalid: metadata.uid: Invalid value: "7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11": field is immutable',
            reason: 'Invalid',
            details: {
              name: 'x',
              kind: 'ConfigMap',
              causes: [
                {
                  reason: 'FieldValueInvalid',
                  message:
                    'Invalid value: "7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11": field is immutable',
                  field: 'metadata.uid',
                },
                {
                  reason: 'FieldValueInvalid',
                  message:
                    'Invalid value: "7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11": field is immutable',
                  field: 'metadata.uid',
                },
              ],
            },
          },
        },
      },
    ],
  },
  {
    id: 'json-patch-test',
    reason: 'a JSON patch is locked by a test on the version',
    steps: [
      { name: 'first', request: apply(x, configMap('x')), expect: { status: 201 } },
      {
        name: 'second',
        request: jsonPatch(x, [
          {
            op: 'test',
            path: '/metadata/resourceVersion',
            value: '{first.metadata.resourceVersion}',
          },
          { op: 'replace', path: '/data/a', value: '2' },
        ]),
        expect: { status: 200, version: { movedSince: 'first' }, body: { data: { a: '2' } } },
      },
      {
        request: jsonPatch(x, [
          {
            op: 'test',
            path: '/metadata/resourceVersion',
            value: '{first.metadata.resourceVersion}',
          },
          { op: 'replace', path: '/data/a', value: '3' },
        ]),
        expect: {
          status: 422,
          error: {
            message: 'the server rejected our request due to an error in our request',
            reason: 'Invalid',
            details: {},
          },
        },
      },
    ],
  },
  {
    id: 'settled-deployment',
    reason: 'a Deployment is updated by its controller: its first version is soon stale',
    steps: [
      {
        name: 'made',
        request: apply(`${paths.deployments}/x`, deployment(absent)),
        expect: { status: 201 },
      },
      {
        name: 'settled',
        eventually: true,
        request: get(`${paths.deployments}/x`),
        expect: {
          status: 200,
          version: { movedSince: 'made' },
          body: {
            metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' }, generation: 1 },
            status: {
              observedGeneration: 1,
              conditions: [{}, { reason: 'NewReplicaSetAvailable' }],
            },
          },
        },
      },
      {
        request: apply(
          `${paths.deployments}/x`,
          deployment({
            name: 'x',
            uid: '{made.metadata.uid}',
            resourceVersion: '{made.metadata.resourceVersion}',
          }),
        ),
        expect: { status: 409, error: modified('deployments.apps', 'x') },
      },
      {
        request: apply(
          `${paths.deployments}/x`,
          deployment({
            name: 'x',
            uid: '{settled.metadata.uid}',
            resourceVersion: '{settled.metadata.resourceVersion}',
          }),
          ours,
        ),
        expect: { status: 200, version: { sameAs: 'settled' } },
      },
    ],
  },
];
