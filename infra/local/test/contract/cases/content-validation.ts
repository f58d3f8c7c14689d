import type { ContractCase, Step } from '../contract-case.ts';
import { type InvalidField, invalid } from '../errors.ts';
import { configMap, paths, secret } from '../objects.ts';
import { apply, post } from '../requests.ts';

const { secrets, configMaps } = paths;

const refused = (content: object, fields: readonly InvalidField[]): Step => ({
  request: post(secrets, secret('x', content)),
  expect: { status: 422, error: invalid('Secret', 'x', fields) },
});
const dockerConfig = 'data[.dockerconfigjson]';
const encoded = (text: string) => Buffer.from(text).toString('base64');
const docker = (text: string) => ({
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': encoded(text) },
});
const redacted = (why: string): InvalidField[] => [
  [dockerConfig, `Invalid value: "<secret contents redacted>": ${why}`],
];

export const cases: readonly ContractCase[] = [
  {
    id: 'canonical-bytes',
    reason: 'bytes are stored in canonical form, without line breaks',
    steps: [
      {
        request: post(secrets, secret('x', { data: { a: 'MQ=\n=', b: 'MR==' } })),
        expect: { status: 201, at: { data: { a: 'MQ==', b: 'MQ==' } } },
      },
      {
        request: post(configMaps, { ...configMap('x', {}), binaryData: { a: 'MQ==\n' } }),
        expect: { status: 201, at: { binaryData: { a: 'MQ==' } } },
      },
    ],
  },
  {
    id: 'no-bytes',
    reason: 'invalid base64 is reported with the position of the first bad byte',
    steps: [
      ...(
        [
          ['MQ', 0],
          ['MQ=', 3],
          ['M!', 1],
          ['MQ==x', 4],
        ] as const
      ).map(
        ([a, at]): Step => ({
          request: post(secrets, secret('x', { data: { a } })),
          expect: {
            status: 400,
            error: {
              reason: 'BadRequest',
              message: `Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte ${at}`,
            },
          },
        }),
      ),
      {
        request: apply(`${secrets}/x`, secret('x', { data: { a: 'MQ' } })),
        expect: {
          status: 500,
          error: {
            message:
              'failed to convert new object (/x; /v1, Kind=Secret) to proper version: unable to convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 0',
          },
        },
      },
    ],
  },
  {
    id: 'docker-config',
    reason: 'pull credentials must be JSON, and are not shown',
    steps: [
      refused({ type: 'kubernetes.io/dockerconfigjson' }, [
        [dockerConfig, 'Required value', 'FieldValueRequired'],
      ]),
      refused(docker('none'), redacted("invalid character 'o' in literal null (expecting 'u')")),
      refused(docker('x'), redacted("invalid character 'x' looking for beginning of value")),
      refused(docker('{'), redacted('unexpected end of JSON input')),
      refused(
        docker('1'),
        redacted('json: cannot unmarshal number into Go value of type map[string]interface {}'),
      ),
      { request: post(secrets, secret('x', docker('{}'))), expect: { status: 201 } },
    ],
  },
  {
    id: 'typed-secrets',
    reason: 'the type of a Secret determines its keys',
    steps: [
      refused({ type: 'kubernetes.io/tls', data: { 'tls.crt': 'MQ==' } }, [
        ['data[tls.key]', 'Required value', 'FieldValueRequired'],
      ]),
      refused({ type: 'kubernetes.io/ssh-auth' }, [
        ['data[ssh-privatekey]', 'Required value', 'FieldValueRequired'],
      ]),
      refused({ type: 'kubernetes.io/basic-auth' }, [
        ['data[username]', 'Required value', 'FieldValueRequired'],
        ['data[password]', 'Required value', 'FieldValueRequired'],
      ]),
    ],
  },
  {
    id: 'one-key-in-both',
    reason: 'a ConfigMap key is in data or binaryData, not both',
    steps: [
      {
        request: post(configMaps, { ...configMap('x', { a: '1' }), binaryData: { a: 'MQ==' } }),
        expect: {
          status: 422,
          error: invalid('ConfigMap', 'x', [
            ['data[a]', 'Invalid value: "a": duplicate of key present in binaryData'],
          ]),
        },
      },
    ],
  },
  {
    id: 'names-of-managers',
    reason: 'unreadable managedFields are ignored, names that are too long are not',
    steps: [
      {
        request: post(
          configMaps,
          configMap({ name: 'x', managedFields: [{ manager: 'm', operation: 'Other' }] }),
        ),
        expect: { status: 201 },
      },
    ],
  },
];
