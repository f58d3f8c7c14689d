import { describe, expect, it } from 'vitest';
import { yamlDiff } from '../../infra/cli/plan/yaml-diff.ts';
import type { ChangedField } from '../../shared/kinds/impact.ts';
import type { Json } from '../../shared/kubernetes.ts';

const change = (path: string, from?: Json, to?: Json): ChangedField => ({ path, from, to });

const shared = { x: 1 };

const cases: Record<string, { changes: readonly ChangedField[]; want: string; why: string }> = {
  'a field': {
    changes: [change('spec.replicas', 5, 2)],
    want: ' spec:\n-  replicas: 5\n+  replicas: 2',
    why: 'parents are shown as context',
  },
  'fields of one object': {
    changes: [change('kind', 'Foo', 'Foo'), change('spec.a', 1, 2), change('spec.b', undefined, 3)],
    want: ' kind: Foo\n spec:\n-  a: 1\n+  a: 2\n+  b: 3',
    why: 'the common parent is shown once',
  },
  'a field of an item': {
    changes: [change('spec.containers[name="web"].image', 'a', 'b')],
    want: ' spec:\n   containers:\n   - name: web\n-    image: a\n+    image: b',
    why: 'the item is identified by its keys',
  },
  'an item by several keys': {
    changes: [change('spec.ports[port=80,protocol="TCP"].nodePort', undefined, 31000)],
    want: ' spec:\n   ports:\n   - port: 80\n     protocol: TCP\n+    nodePort: 31000',
    why: 'ports of a Service have several keys',
  },
  'a new item': {
    changes: [change('spec.ports[port=81]', undefined, { port: 81, name: 'b' })],
    want: ' spec:\n   ports:\n+  - port: 81\n+    name: b',
    why: 'the item is added as a whole',
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
    want: ' spec:\n   rules:\n   - host: a\n     port: 1\n-  - host: b\n+  - host: c\n     port: 2\n   - host: d\n     port: 4',
    why: 'only differing items are changes',
  },
  'a list with another beginning': {
    changes: [change('spec.args', ['b'], ['a', 'b'])],
    want: ' spec:\n   args:\n+  - a\n   - b',
    why: 'equal items at the end are found as well',
  },
  'a list that becomes shorter': {
    changes: [change('spec.args', ['a', 'a', 'b'], ['a', 'b'])],
    want: ' spec:\n   args:\n   - a\n-  - a\n   - b',
    why: 'no item is counted twice',
  },
  'a list that becomes empty': {
    changes: [change('spec.args', ['a'], [])],
    want: ' spec:\n-  args:\n-  - a\n+  args: []',
    why: 'an empty list is written on one line',
  },
  'a map whose keys have another order': {
    changes: [change('spec.map', { b: 1, a: 2 }, { a: 3, b: 1 })],
    want: ' spec:\n   map:\n-    a: 2\n+    a: 3\n     b: 1',
    why: 'only the field that differs is a change',
  },
  'a key with dots': {
    changes: [change('metadata.annotations.app.kubernetes.io/a', 'x', undefined)],
    want: ' metadata:\n   annotations:\n-    app.kubernetes.io/a: x',
    why: 'annotations contain only strings',
  },
  'a file in a ConfigMap': {
    changes: [change('data.nginx.conf', 'a\n', 'a\nb\n')],
    want: ' data:\n   nginx.conf: |\n     a\n+    b',
    why: 'the file name contains a dot, and a line of a text is a line of YAML',
  },
  'a field named data elsewhere': {
    changes: [change('spec.data.size', 1, 2)],
    want: ' spec:\n   data:\n-    size: 1\n+    size: 2',
    why: 'only the data of a ConfigMap or Secret is a map of strings',
  },
  'a key in quotation marks with brackets': {
    changes: [change('spec.hosts[name="a]\\".b"].port', 1, 2)],
    want: ' spec:\n   hosts:\n   - name: a]".b\n-    port: 1\n+    port: 2',
    why: 'the key ends at its quotation mark',
  },
  'a key that looks like an item': {
    changes: [change('spec.map.a[b=c]', 1, 2)],
    want: ' spec:\n   map:\n     a:\n-    - 1\n+    - 2',
    why: 'a path does not distinguish a key from an item, but no change is lost',
  },
  'a key with an open bracket': {
    changes: [change('spec.map.a[b', 1, 2), change('spec.map.a[c', 3, 4)],
    want: ' spec:\n   map:\n     a:\n-      "[b": 1\n-      "[c": 3\n+      "[b": 2\n+      "[c": 4',
    why: 'the rest of an unparsable path is one name',
  },
  'a text of more lines than are compared': {
    changes: [change('data.a', 'x\n'.repeat(1_000), 'x\n'.repeat(1_001))],
    want: [
      ...['-data:', '-  a: |', ...Array(1_000).fill('-    x')],
      ...['+data:', '+  a: |', ...Array(1_001).fill('+    x')],
    ].join('\n'),
    why: 'comparing two long strings would take too much memory',
  },
  'one object in two places': {
    changes: [
      change('spec.a', 1, 2),
      change('spec.b', shared, shared),
      change('spec.c', 3, shared),
    ],
    want: ' spec:\n-  a: 1\n+  a: 2\n   b:\n     x: 1\n-  c: 3\n+  c:\n+    x: 1',
    why: 'an alias would not be plain YAML',
  },
  'an equal value': {
    changes: [change('spec.a', { b: 1 }, { b: 1 })],
    want: ' spec:\n   a:\n     b: 1',
    why: 'an equal value is context',
  },
};

const textOf = (changes: readonly ChangedField[], around: ' ' | '+' | '-' = ' '): string =>
  yamlDiff(changes, around)
    .map(({ sign, text }) => sign + text)
    .join('\n');

describe('the difference as YAML', () => {
  it.each(Object.entries(cases))('%s', (_, { changes, want }) => {
    expect(textOf(changes)).toBe(want);
  });

  it('of a new object contains only additions', () => {
    const fields = [
      change('spec.containers[name="web"].name', undefined, 'web'),
      change('spec.containers[name="web"].args[0]', undefined, '-v'),
    ];
    expect(textOf(fields, '+')).toBe(
      '+spec:\n+  containers:\n+  - name: web\n+    args:\n+    - -v',
    );
  });
});
