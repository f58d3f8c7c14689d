import { describe, expect, it } from 'vitest';
import { type YamlChange, yamlDiff } from '../../infra/cli/plan/yaml-diff.ts';
import type { Json } from '../../shared/kubernetes.ts';

const change = (path: string, from?: Json, to?: Json): YamlChange => ({ path, from, to });

const cases: Record<string, { changes: readonly YamlChange[]; want: string; why: string }> = {
  'a field': {
    changes: [change('spec.replicas', 5, 2)],
    want: ' spec:\n-  replicas: 5\n+  replicas: 2',
    why: 'within what contains it',
  },
  'fields of one object': {
    changes: [change('kind', 'Foo', 'Foo'), change('spec.a', 1, 2), change('spec.b', undefined, 3)],
    want: ' kind: Foo\n spec:\n-  a: 1\n+  a: 2\n+  b: 3',
    why: 'the parent stands once',
  },
  'a field of an item': {
    changes: [change('spec.containers[name="web"].image', 'a', 'b')],
    want: ' spec:\n   containers:\n   - name: web\n-    image: a\n+    image: b',
    why: 'the item is named by its keys',
  },
  'an item by several keys': {
    changes: [change('spec.ports[port=80,protocol="TCP"].nodePort', undefined, 31000)],
    want: ' spec:\n   ports:\n   - port: 80\n     protocol: TCP\n+    nodePort: 31000',
    why: 'as in Services',
  },
  'an item that is new': {
    changes: [change('spec.ports[port=81]', undefined, { port: 81, name: 'b' })],
    want: ' spec:\n   ports:\n+  - port: 81\n+    name: b',
    why: 'it is added whole',
  },
  'a list whose items have their keys in another order': {
    changes: [
      change(
        'spec.rules',
        [
          { port: 1, host: 'a' },
          { port: 2, host: 'b' },
          { port: 4, host: 'd' },
        ],
        [
          { host: 'a', port: 1 },
          { host: 'c', port: 2 },
          { host: 'd', port: 4 },
        ],
      ),
    ],
    want: ' spec:\n   rules:\n     - host: a\n       port: 1\n-    - host: b\n-      port: 2\n+    - host: c\n+      port: 2\n     - host: d\n       port: 4',
    why: 'only what differs is a change',
  },
  'a list that begins otherwise': {
    changes: [change('spec.args', ['b'], ['a', 'b'])],
    want: ' spec:\n   args:\n+    - a\n     - b',
    why: 'items at the end are compared, too',
  },
  'a list that becomes shorter': {
    changes: [change('spec.args', ['a', 'a', 'b'], ['a', 'b'])],
    want: ' spec:\n   args:\n     - a\n-    - a\n     - b',
    why: 'no item is counted twice',
  },
  'a list that becomes empty': {
    changes: [change('spec.args', ['a'], [])],
    want: ' spec:\n-  args:\n-    - a\n+  args: []',
    why: 'it is written on one line',
  },
  'a map whose keys have another order': {
    changes: [change('spec.map', { b: 1, a: 2 }, { a: 3, b: 1 })],
    want: ' spec:\n-  map:\n-    a: 2\n-    b: 1\n+  map:\n+    a: 3\n+    b: 1',
    why: 'both are shown in one order',
  },
  'a key with dots': {
    changes: [change('metadata.annotations.app.kubernetes.io/a', 'x', undefined)],
    want: ' metadata:\n   annotations:\n-    app.kubernetes.io/a: x',
    why: 'annotations have texts only',
  },
  'a file in a ConfigMap': {
    changes: [change('data.nginx.conf', 'a\n', 'a\nb\n')],
    want: ' data:\n-  nginx.conf: |\n-    a\n+  nginx.conf: |\n+    a\n+    b',
    why: 'its name has a dot',
  },
  'a field named data elsewhere': {
    changes: [change('spec.data.size', 1, 2)],
    want: ' spec:\n   data:\n-    size: 1\n+    size: 2',
    why: 'only that of a ConfigMap or Secret is a map of texts',
  },
  'a key in quotation marks with brackets': {
    changes: [change('spec.hosts[name="a]\\".b"].port', 1, 2)],
    want: ' spec:\n   hosts:\n   - name: a]".b\n-    port: 1\n+    port: 2',
    why: 'a text ends with its quotation mark',
  },
  'a key that looks like an item': {
    changes: [change('spec.map.a[b=c]', 1, 2)],
    want: ' spec:\n   map:\n     a:\n-    - 1\n+    - 2',
    why: 'a path does not say which it is; nothing is lost',
  },
  'a key with an open bracket': {
    changes: [change('spec.map.a[b', 1, 2), change('spec.map.a[c', 3, 4)],
    want: ' spec:\n   map:\n     a:\n-      "[b": 1\n+      "[b": 2\n-      "[c": 3\n+      "[c": 4',
    why: 'the rest of a path that cannot be read is one name',
  },
  'an equal value': {
    changes: [change('spec.a', { b: 1 }, { b: 1 })],
    want: ' spec:\n   a:\n     b: 1',
    why: 'it is context',
  },
};

const textOf = (changes: readonly YamlChange[], around: ' ' | '+' | '-' = ' '): string =>
  yamlDiff(changes, around)
    .map(({ sign, text }) => sign + text)
    .join('\n');

describe('the difference as YAML', () => {
  it.each(Object.entries(cases))('%s', (_, { changes, want }) => {
    expect(textOf(changes)).toBe(want);
  });

  it('of a new object has only additions', () => {
    const fields = [
      change('spec.containers[name="web"].name', undefined, 'web'),
      change('spec.containers[name="web"].args[0]', undefined, '-v'),
    ];
    expect(textOf(fields, '+')).toBe(
      '+spec:\n+  containers:\n+  - name: web\n+    args:\n+    - -v',
    );
  });
});
