import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { judged } from '../judged.ts';
import { configMap, deployment, paths, secret, service } from '../objects.ts';
import { post } from '../requests.ts';

const { configMaps, secrets, services, deployments } = paths;
const owner = (fields: object) =>
  configMap({
    name: 'x',
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'o', uid: 'u', ...fields }],
  });
const megabyte = 'x'.repeat(1024 * 1024);

export const cases: readonly ContractCase[] = [
  {
    id: 'keys',
    reason: 'a key may become a file name, so it may not be ..',
    steps: [
      ...judged(configMaps, 'ConfigMap', [
        {
          given: configMap('x', { '..': '' }),
          want: [['data[..]', 'Invalid value: "..": must not be \'..\'']],
        },
        {
          given: configMap('x', { '..x': '' }),
          want: [['data[..x]', 'Invalid value: "..x": must not start with \'..\'']],
        },
        {
          given: configMap('x', { '.': '' }),
          want: [['data[.]', 'Invalid value: ".": must not be \'.\'']],
        },
        { given: configMap('x', { '.x': '' }), want: 'accepted' },
        {
          given: configMap('x', { 'a b': '' }),
          want: [
            [
              'data[a b]',
              "Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
            ],
          ],
        },
        {
          given: configMap('x', { ['k'.repeat(254)]: '' }),
          want: [
            [
              'data[kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk]',
              'Invalid value: "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk": must be no more than 253 characters',
            ],
          ],
        },
      ]),
      ...judged(secrets, 'Secret', [
        {
          given: secret('x', { data: { '..': '' } }),
          want: [['data[..]', 'Invalid value: "..": must not be \'..\'']],
        },
        {
          given: secret('x', { data: { '..x': '' } }),
          want: [['data[..x]', 'Invalid value: "..x": must not start with \'..\'']],
        },
      ]),
    ],
  },
  {
    id: 'sizes',
    reason: 'the size of an object is limited',
    steps: [
      ...judged(configMaps, 'ConfigMap', [
        { given: configMap('x', { a: megabyte }), want: 'accepted' },
        {
          given: configMap('x', { a: `${megabyte}x` }),
          want: [['[]', 'Too long: may not be more than 1048576 bytes', 'FieldValueTooLong']],
        },
        {
          given: configMap({ name: 'x', annotations: { a: megabyte.slice(0, 256 * 1024 - 1) } }),
          want: 'accepted',
        },
        {
          given: configMap({ name: 'x', annotations: { a: megabyte.slice(0, 256 * 1024) } }),
          want: [
            [
              'metadata.annotations',
              'Too long: may not be more than 262144 bytes',
              'FieldValueTooLong',
            ],
          ],
        },
      ]),
      ...judged(secrets, 'Secret', [
        { given: secret('x', { stringData: { a: megabyte } }), want: 'accepted' },
        {
          given: secret('x', { stringData: { a: `${megabyte}x` } }),
          want: [['data', 'Too long: may not be more than 1048576 bytes', 'FieldValueTooLong']],
        },
      ]),
    ],
  },
  {
    id: 'finalizers',
    reason: 'what depends on an object is orphaned or waited for, not both',
    steps: judged(configMaps, 'ConfigMap', [
      {
        given: configMap({ name: 'x', finalizers: ['orphan', 'foregroundDeletion'] }),
        want: [
          [
            'metadata.finalizers',
            'Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
          ],
        ],
      },
      { given: configMap({ name: 'x', finalizers: ['orphan'] }), want: 'accepted' },
    ]),
  },
  {
    id: 'owners',
    reason: 'an Event cannot be an owner, and an owner has a version',
    steps: judged(configMaps, 'ConfigMap', [
      {
        given: owner({ kind: 'Event' }),
        want: [
          [
            'metadata.ownerReferences',
            'Invalid value: {"apiVersion":"v1","kind":"Event","name":"o","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
          ],
        ],
      },
      { given: owner({ apiVersion: 'events.k8s.io/v1', kind: 'Event' }), want: 'accepted' },
      {
        given: owner({ apiVersion: 'a/b/c' }),
        want: [
          [
            'metadata.ownerReferences.apiVersion',
            'Invalid value: "a/b/c": version must not be empty',
          ],
        ],
      },
      { given: owner({ apiVersion: 'a/b' }), want: 'accepted' },
    ]),
  },
  {
    id: 'template-annotations',
    reason: 'a pod template has annotations like any object',
    steps: judged(deployments, 'Deployment.apps', [
      {
        given: deployment('x', {
          template: {
            metadata: { labels: { app: 'web' }, annotations: { 'a b': '' } },
            spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
          },
        }),
        want: [
          [
            'spec.template.annotations',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
    ]),
  },
  {
    id: 'service-names',
    reason: 'the generateName of a Service has at most 63 characters',
    steps: judged(services, 'Service', [
      {
        given: service({ name: 'x', generateName: 'a'.repeat(64) }),
        want: [
          [
            'metadata.generateName',
            'Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 63 characters',
          ],
        ],
      },
    ]),
  },
  {
    id: 'managers',
    reason: 'the name of a manager is printable',
    steps: [
      {
        request: post(configMaps, configMap('x'), { fieldManager: '\u0000' }),
        expect: {
          status: 422,
          error: invalid('CreateOptions.meta.k8s.io', '', [
            ['fieldManager', 'Invalid value: "\\x00": invalid character U+0000 (at position 0)'],
          ]),
        },
      },
    ],
  },
];
