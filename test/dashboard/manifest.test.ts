import { describe, expect, it } from 'vitest';
import { shownManifest } from '../../infra/dashboard/looks/manifest.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { configMap, secret } from '../../shared/kinds/child-types/core.ts';
import { secretDigestAnnotation } from '../../shared/kinds/names.ts';
import type { FieldsV1, JsonObject, KubeObject } from '../../shared/kubernetes.ts';

const ours = defaultIdentity.name;

interface Case {
  readonly reason: string;
  readonly type?: ChildType;
  readonly content: JsonObject;
  readonly fields?: FieldsV1;
  readonly manager?: string;
  readonly others?: FieldsV1;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The lines after the metadata; ours begin with `>`. */
  readonly want: string;
}

const cases: Record<string, Case> = {
  Scalar: {
    reason: 'a field that our entry names is ours, its neighbour is not',
    content: { spec: { replicas: 2, paused: false } },
    fields: { 'f:spec': { 'f:replicas': {} } },
    want: `
 spec:
>  replicas: 2
   paused: false`,
  },
  Other: {
    reason: 'the entry of another manager marks nothing',
    content: { spec: { replicas: 2 } },
    manager: 'kubectl',
    fields: { 'f:spec': { 'f:replicas': {} } },
    want: `
 spec:
   replicas: 2`,
  },
  Items: {
    reason: 'an item of a list merged by key is found by its key, whatever its place',
    content: {
      spec: {
        containers: [
          { name: 'proxy', image: 'p:1' },
          { name: 'web', image: 'w:1', ports: [{ containerPort: 80, protocol: 'TCP' }] },
        ],
      },
    },
    fields: {
      'f:spec': {
        'f:containers': {
          'k:{"name":"web"}': {
            '.': {},
            'f:name': {},
            'f:image': {},
            'f:ports': {
              'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
            },
          },
        },
      },
    },
    want: `
 spec:
   containers:
   - name: proxy
     image: p:1
>  - name: web
>    image: w:1
     ports:
>    - containerPort: 80
       protocol: TCP`,
  },
  Set: {
    reason: 'an item of a set is found by its value',
    content: { spec: { finalizers: ['a', 'b'] } },
    fields: { 'f:spec': { 'f:finalizers': { 'v:"b"': {} } } },
    want: `
 spec:
   finalizers:
   - a
>  - b`,
  },
  Atomic: {
    reason: 'a list or map that our entry names as a whole is ours with all that is in it',
    content: { spec: { args: ['-v'], selector: { app: 'x' } } },
    fields: { 'f:spec': { 'f:args': {}, 'f:selector': {} } },
    want: `
 spec:
>  args:
>  - -v
>  selector:
>    app: x`,
  },
  Filled: {
    reason: 'the content of a map that we desire empty belongs to those who fill it',
    content: { spec: { labels: { a: 'x' } } },
    fields: { 'f:spec': { 'f:labels': {} } },
    others: { 'f:spec': { 'f:labels': { 'f:a': {} } } },
    want: `
 spec:
>  labels:
     a: x`,
  },
  Strings: {
    reason: 'text of several lines, odd names and words that YAML would read as something else',
    type: configMap,
    content: { data: { 'a: b': 'no', file: 'one\ntwo\n' } },
    fields: { 'f:data': { 'f:file': {} } },
    want: `
 data:
   "a: b": "no"
>  file: |
>    one
>    two`,
  },
  Empty: {
    reason: 'empty lists and maps stay on the line of their field',
    content: { spec: { a: [], b: {}, c: null } },
    want: `
 spec:
   a: []
   b: {}
   c: null`,
  },
  Secret: {
    reason: 'keys of a Secret are shown, values and unknown fields are not',
    type: secret,
    content: {
      type: 'Opaque',
      data: { password: 'aHVudGVyMg==' },
      stringData: { again: 'hunter2' },
      later: 'hunter2',
    },
    fields: { 'f:data': { 'f:password': {} } },
    want: `
 type: Opaque
 data:
>  password: (secret)
 stringData:
   again: (secret)
 later: (secret)`,
  },
};

const metadata = {
  name: 'shop',
  uid: 'u',
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
};

function objectOf({ content, fields, others, manager = ours, annotations }: Case): KubeObject {
  const entry = (name: string, fieldsV1: FieldsV1) => ({
    manager: name,
    operation: 'Apply' as const,
    apiVersion: 'v1',
    fieldsType: 'FieldsV1' as const,
    fieldsV1,
  });
  const managedFields = [
    ...(fields === undefined ? [] : [entry(manager, fields)]),
    ...(others === undefined ? [] : [entry('kubectl', others)]),
  ];
  return {
    apiVersion: 'v1',
    kind: 'Any',
    metadata: { ...metadata, managedFields, ...(annotations && { annotations }) },
    ...content,
  };
}

const textOf = (one: Case): string => {
  const { lines } = shownManifest(
    { type: one.type ?? deployment, live: objectOf(one) },
    defaultIdentity,
  );
  return lines.map(({ text, ours: isOurs }) => `${isOurs ? '>' : ' '}${text}`).join('\n');
};

describe('the manifest of an object', () => {
  it.each(Object.entries(cases))('%s', (_, one) => {
    const text = textOf(one);
    const body = text.slice(text.indexOf('\n', text.indexOf('creationTimestamp')));
    expect(body, one.reason).toBe(one.want);
    expect(text).not.toContain('managedFields');
  });

  it('contains no value or digest of a Secret in any annotation', () => {
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"hunter2"}}',
      [secretDigestAnnotation]: 'hunter2',
    };
    for (const type of [secret, deployment])
      expect(textOf({ reason: '', type, annotations, content: {}, want: '' })).not.toContain(
        'hunter2',
      );
    const copied = { 'example.org/copy': 'hunter2' };
    const text = textOf({ reason: '', type: secret, annotations: copied, content: {}, want: '' });
    expect(text).toContain('example.org/copy: (secret)');
  });

  it('is cut off after 3,000 lines, and a value after 4,000 characters', () => {
    const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 'x']));
    const live = objectOf({ reason: '', content: { first: 'y'.repeat(1e6), data }, want: '' });
    const { lines, isCut } = shownManifest({ type: configMap, live }, defaultIdentity);
    expect(isCut).toBe(true);
    expect(lines.length).toBe(3_000);
    expect(lines.find(({ text }) => text.startsWith('first'))?.text).toMatch(
      /^first: y{4000}… \(996000 more characters\)$/,
    );
  });

  it('is refused for an object that is nested too deeply', () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 5_000; level++) deep = { deep };
    const live = objectOf({ reason: '', content: { spec: deep }, want: '' });
    expect(() => shownManifest({ type: deployment, live }, defaultIdentity)).toThrow(
      'nested deeper than 64 levels',
    );
  });
});
