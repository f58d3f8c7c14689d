import type { ContractCase } from '../contract-case.ts';
import { definition } from '../definitions.ts';
import { judged } from '../judged.ts';
import { paths } from '../objects.ts';
import { crd, toys, toyVersion } from '../toys.ts';

const schema = { type: 'object', properties: { a: { type: 'string' }, n: { type: 'integer' } } };
const other = { name: 'v2', storage: false };
const toysOf = (versions: readonly object[], more: object = {}) => {
  const made = definition({ group: toys.group, names: toys.names, versions });
  return { ...made, spec: { ...made.spec, ...more } };
};
const one = (more: object) => toysOf([toyVersion(schema, more)]);
const two = (more: object) =>
  toysOf([toyVersion(schema), toyVersion(schema, { ...other, ...more })]);
const scaled = (paths: object) =>
  one({
    subresources: {
      scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.replicas', ...paths },
    },
  });
const column = (fields: object) =>
  one({
    additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a', ...fields }],
  });
const selecting = (...jsonPaths: string[]) =>
  one({ selectableFields: jsonPaths.map((jsonPath) => ({ jsonPath })) });

const approvedField = 'metadata.annotations[api-approved.kubernetes.io]';
const reserved = (group: string, approval?: string) => {
  const made = definition({ group, names: toys.names, versions: [toyVersion(schema)] });
  const annotations = approval === undefined ? {} : { 'api-approved.kubernetes.io': approval };
  return { ...made, metadata: { ...made.metadata, annotations } };
};

const steps = (rows: Parameters<typeof judged>[2]) => judged(paths.definitions, crd, rows);

export const cases: readonly ContractCase[] = [
  {
    id: 'versions',
    reason: 'each version of a definition has a name of its own',
    steps: steps([
      {
        given: two({ name: 'v1' }),
        want: [
          [
            'spec.versions',
            'Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must contain unique version names',
          ],
        ],
      },
      {
        given: one({ name: 'V_1' }),
        want: [
          [
            'spec.versions[0].name',
            "Invalid value: \"V_1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
          ],
          [
            'spec.version',
            "Invalid value: \"V_1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
          ],
        ],
      },
      {
        given: one({ name: '' }),
        want: [
          [
            'spec.versions[0].name',
            "Invalid value: \"\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
          ],
        ],
      },
      {
        given: toysOf([]),
        want: [
          [
            'spec.versions',
            'Invalid value: []: must have exactly one version marked as storage version',
          ],
          ['status.storedVersions', 'Invalid value: null: must have at least one stored version'],
        ],
      },
      {
        given: toysOf([toyVersion(schema)], { preserveUnknownFields: true }),
        want: [
          [
            'spec.preserveUnknownFields',
            'Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ],
        ],
      },
      { given: toysOf([toyVersion(schema)], { preserveUnknownFields: false }), want: 'accepted' },
    ]),
  },
  {
    id: 'scale',
    reason: 'replicas are found in the specification and in the status',
    steps: steps([
      { given: scaled({}), want: 'accepted' },
      {
        given: scaled({ specReplicasPath: 'spec.n' }),
        want: [
          [
            'spec.subresources.scale.specReplicasPath',
            'Invalid value: "spec.n": must be a simple json path starting with .',
          ],
        ],
      },
      {
        given: scaled({ specReplicasPath: '.status.n' }),
        want: [
          [
            'spec.subresources.scale.specReplicasPath',
            'Invalid value: ".status.n": should be a json path under .spec',
          ],
        ],
      },
      {
        given: scaled({ specReplicasPath: '' }),
        want: [
          ['spec.subresources.scale.specReplicasPath', 'Required value', 'FieldValueRequired'],
        ],
      },
      {
        given: scaled({ specReplicasPath: '.spec' }),
        want: [
          [
            'spec.subresources.scale.specReplicasPath',
            'Invalid value: ".spec": should be a json path under .spec',
          ],
        ],
      },
      {
        given: scaled({ specReplicasPath: '.spec[0]' }),
        want: [
          [
            'spec.subresources.scale.specReplicasPath',
            'Invalid value: ".spec[0]": should be a json path under .spec',
          ],
        ],
      },
      {
        given: scaled({ statusReplicasPath: '.spec.n' }),
        want: [
          [
            'spec.subresources.scale.statusReplicasPath',
            'Invalid value: ".spec.n": should be a json path under .status',
          ],
        ],
      },
      {
        given: scaled({ statusReplicasPath: 'status.n' }),
        want: [
          [
            'spec.subresources.scale.statusReplicasPath',
            'Invalid value: "status.n": must be a simple json path starting with .',
          ],
        ],
      },
      {
        given: scaled({ labelSelectorPath: '.metadata.s' }),
        want: [
          [
            'spec.subresources.scale.labelSelectorPath',
            'Invalid value: ".metadata.s": should be a json path under either .spec or .status',
          ],
        ],
      },
      { given: scaled({ labelSelectorPath: '.spec.a' }), want: 'accepted' },
      {
        given: scaled({ labelSelectorPath: 'spec.a' }),
        want: [
          [
            'spec.subresources.scale.labelSelectorPath',
            'Invalid value: "spec.a": must be a simple json path starting with .',
          ],
        ],
      },
    ]),
  },
  {
    id: 'scale-of-several',
    reason: 'errors in subresources of several versions name their version',
    steps: steps([
      {
        given: two({
          subresources: { scale: { specReplicasPath: 'spec.n', statusReplicasPath: '.status.n' } },
        }),
        want: [
          [
            'spec.versions[1].subresources.scale.specReplicasPath',
            'Invalid value: "spec.n": must be a simple json path starting with .',
          ],
        ],
      },
      {
        given: two({ additionalPrinterColumns: [{ name: 'A', type: 'x', jsonPath: '.spec.a' }] }),
        want: [
          [
            'spec.versions[1].additionalPrinterColumns[0].type',
            'Invalid value: "x": must be one of boolean,date,integer,number,string',
          ],
        ],
      },
    ]),
  },
  {
    id: 'columns',
    reason: 'a column has a name, a known type and a path',
    steps: steps([
      { given: column({}), want: 'accepted' },
      {
        given: column({ name: '' }),
        want: [['spec.additionalPrinterColumns[0].name', 'Required value', 'FieldValueRequired']],
      },
      {
        given: column({ type: '' }),
        want: [
          [
            'spec.additionalPrinterColumns[0].type',
            'Required value: must be one of boolean,date,integer,number,string',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: column({ type: 'x' }),
        want: [
          [
            'spec.additionalPrinterColumns[0].type',
            'Invalid value: "x": must be one of boolean,date,integer,number,string',
          ],
        ],
      },
      {
        given: column({ format: 'x' }),
        want: [
          [
            'spec.additionalPrinterColumns[0].format',
            'Invalid value: "x": must be one of byte,date,date-time,double,float,int32,int64,password',
          ],
        ],
      },
      {
        given: column({ jsonPath: '' }),
        want: [
          ['spec.additionalPrinterColumns[0].JSONPath', 'Required value', 'FieldValueRequired'],
        ],
      },
      {
        given: column({ jsonPath: 'spec.a' }),
        want: [
          [
            'spec.additionalPrinterColumns[0].JSONPath',
            'Invalid value: "spec.a": must be a simple json path starting with .',
          ],
        ],
      },
    ]),
  },
  {
    id: 'selectable',
    reason: 'objects are selected by single values that the schema knows',
    steps: steps([
      { given: selecting('.spec.a'), want: 'accepted' },
      {
        given: selecting('.spec.a', '.spec.a'),
        want: [
          [
            'spec.selectableFields[1].jsonPath',
            'Duplicate value: ".spec.a"',
            'FieldValueDuplicate',
          ],
        ],
      },
      {
        given: selecting('.spec.b'),
        want: [
          [
            'spec.selectableFields[0].jsonPath',
            'Invalid value: ".spec.b": is an invalid path: does not refer to a valid field',
          ],
        ],
      },
      {
        given: selecting('.metadata.name'),
        want: [
          [
            'spec.selectableFields[0].jsonPath',
            'Invalid value: ".metadata.name": is an invalid path: does not refer to a valid field',
          ],
        ],
      },
      {
        given: selecting('spec.a'),
        want: [
          [
            'spec.selectableFields[0].jsonPath',
            'Invalid value: "spec.a": is an invalid path: expected [ or . but got: spec',
          ],
        ],
      },
      {
        given: selecting(''),
        want: [['spec.selectableFields[0].jsonPath', 'Required value', 'FieldValueRequired']],
      },
      {
        given: selecting('.spec'),
        want: [
          [
            'spec.selectableFields[0].jsonPath',
            'Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
          ],
        ],
      },
      {
        given: selecting('.spec.a[0]'),
        want: [
          [
            'spec.selectableFields[0].jsonPath',
            'Invalid value: ".spec.a[0]": is an invalid path: array notation is not allowed',
          ],
        ],
      },
      { given: selecting('.spec.n'), want: 'accepted' },
    ]),
  },
  {
    id: 'deprecation',
    reason: 'a deprecation warning is one short line, for a deprecated version only',
    steps: steps([
      { given: one({ deprecated: true, deprecationWarning: 'gone soon' }), want: 'accepted' },
      {
        given: one({ deprecationWarning: 'gone soon' }),
        want: [
          [
            'spec.versions[0].deprecationWarning',
            'Invalid value: "gone soon": can only be set for deprecated versions',
          ],
        ],
      },
      {
        given: one({ deprecated: true, deprecationWarning: '' }),
        want: [
          ['spec.versions[0].deprecationWarning', 'Invalid value: "": must not be an empty string'],
        ],
      },
      {
        given: one({ deprecated: true, deprecationWarning: 'a\nb' }),
        want: [
          [
            'spec.versions[0].deprecationWarning',
            'Invalid value: "a\\nb": must only contain printable UTF-8 characters; non-printable character found at index 1',
          ],
        ],
      },
      {
        given: one({ deprecated: true, deprecationWarning: 'x'.repeat(257) }),
        want: [
          [
            'spec.versions[0].deprecationWarning',
            'Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be <= 256 characters long',
          ],
        ],
      },
    ]),
  },
  {
    id: 'names',
    reason: 'every name of a definition is a label',
    steps: steps([
      {
        given: toysOf([toyVersion(schema)], { names: { ...toys.names, shortNames: ['A_'] } }),
        want: [
          [
            'spec.names.shortNames[0]',
            "Invalid value: \"A_\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
          ],
        ],
      },
      {
        given: toysOf([toyVersion(schema)], { names: { ...toys.names, categories: ['A_'] } }),
        want: [
          [
            'spec.names.categories[0]',
            "Invalid value: \"A_\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
          ],
        ],
      },
      {
        given: toysOf([toyVersion(schema)], { names: { ...toys.names, listKind: 'A_' } }),
        want: [
          [
            'spec.names.listKind',
            "Invalid value: \"A_\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
          ],
        ],
      },
      {
        given: toysOf([toyVersion(schema)], { names: { ...toys.names, listKind: 'Toy' } }),
        want: [
          ['spec.names.listKind', 'Invalid value: "Toy": kind and listKind may not be the same'],
        ],
      },
      {
        given: toysOf([toyVersion(schema)], { scope: 'x' }),
        want: [
          [
            'spec.scope',
            'Unsupported value: "x": supported values: "Cluster", "Namespaced"',
            'FieldValueNotSupported',
          ],
        ],
      },
    ]),
  },
  {
    id: 'approval',
    reason: 'definitions in the groups of Kubernetes need an approval',
    steps: steps([
      {
        given: reserved('toys.k8s.io'),
        want: [
          [
            approvedField,
            'Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: reserved('toys.kubernetes.io', 'yes'),
        want: [
          [
            approvedField,
            'Invalid value: "yes": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
          ],
        ],
      },
      { given: reserved('toys.k8s.io', 'https://example.com/1'), want: 'accepted' },
      { given: reserved('toys.k8s.io', 'unapproved, for a test'), want: 'accepted' },
      { given: reserved('toys-k8s.io'), want: 'accepted' },
    ]),
  },
];
