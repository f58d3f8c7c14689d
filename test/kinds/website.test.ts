import { describe, expect, it } from 'vitest';
import type { Child } from '../../shared/kinds/child.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import type { Note, Progress } from '../../shared/kinds/kind.ts';
import { website } from '../../systems/website.ts';
import { casesOf } from '../support/cases.ts';

const resource = {
  name: 'shop',
  namespace: 'default',
  uid: 'u1',
  createdAt: '2026-01-01T00:00:00Z',
  spec: { imageTag: '1.2' },
};
const labels = { website: 'shop', type: 'Website' };

interface Sizes {
  readonly image?: string;
  readonly nodePort?: number;
  readonly names?: readonly [deployment: string, service: string];
  readonly label?: string;
}

const children = ({
  image = '1.2',
  nodePort = 31000,
  names = ['shop', 'shop'],
  label = 'shop',
}: Sizes = {}): readonly Child[] => {
  const own = { ...labels, website: label };
  return [
    {
      type: deployment,
      name: names[0],
      labels: own,
      body: {
        spec: {
          replicas: 2,
          selector: { matchLabels: own },
          template: {
            metadata: { labels: own },
            spec: {
              containers: [
                {
                  name: 'nginx',
                  image: `abangser/todo-local-storage:${image}`,
                  imagePullPolicy: image === 'latest' ? 'Always' : 'IfNotPresent',
                  ports: [{ containerPort: 80, protocol: 'TCP' }],
                },
              ],
            },
          },
        },
      },
    },
    {
      type: service,
      name: names[1],
      labels: own,
      body: {
        spec: {
          type: 'NodePort',
          selector: own,
          ports: [{ port: 80, protocol: 'TCP', targetPort: 80, nodePort }],
        },
      },
    },
  ];
};

interface Case {
  readonly reason: string;
  readonly given: object;
  readonly want: readonly Child[] | { readonly invalid: unknown };
}

const invalid = (message: RegExp) => ({ invalid: expect.stringMatching(message) });
const long = 'w'.repeat(64);
const hashed = /^w{52}-[0-9a-f]{10}$/;
const hashedLabel = /^w{52}_[0-9a-f]{10}$/;

const cases: Record<string, Case> = {
  'C-1 Both': { reason: 'a Deployment and a Service', given: {}, want: children() },
  'W-1 ImageTag': {
    reason: 'only the image and its pull policy follow the tag',
    given: { spec: { imageTag: '1.3' } },
    want: children({ image: '1.3' }),
  },
  'W-1 Latest': {
    reason: 'the tag latest is pulled at each start of a pod',
    given: { spec: { imageTag: 'latest' } },
    want: children({ image: 'latest' }),
  },
  NodePort: {
    reason: 'the port is that of the spec',
    given: { spec: { imageTag: '1.2', nodePort: 30000 } },
    want: children({ nodePort: 30000 }),
  },
  'W-2 Metadata': {
    reason: 'only name and spec count',
    given: { uid: 'u2', namespace: 'other', labels: { a: 'b' } },
    want: children(),
  },
  'W-8 NoTag': {
    reason: 'the tag is required',
    given: { spec: {} },
    want: invalid(/^spec .*imageTag/),
  },
  'W-8 NoSpec': {
    reason: 'an older schema accepted a Website without a spec',
    given: { spec: undefined },
    want: invalid(/^spec .*imageTag/),
  },
  'W-8 EmptyTag': {
    reason: 'an empty tag is no tag',
    given: { spec: { imageTag: '' } },
    want: invalid(/^spec\.imageTag /),
  },
  'W-8 SlashInTag': {
    reason: 'a slash would lead to another repository',
    given: { spec: { imageTag: 'a/b' } },
    want: invalid(/^spec\.imageTag /),
  },
  'W-8 DashFirst': {
    reason: 'a tag begins with a word character',
    given: { spec: { imageTag: '-x' } },
    want: invalid(/^spec\.imageTag /),
  },
  'W-8 LongTag': {
    reason: 'a tag has at most 128 characters',
    given: { spec: { imageTag: 'x'.repeat(129) } },
    want: invalid(/^spec\.imageTag /),
  },
  'W-8 LineBreak': {
    reason: '$ must not match before a line break at the end',
    given: { spec: { imageTag: 'x\n' } },
    want: invalid(/^spec\.imageTag /),
  },
  'C-9 PortBelow': {
    reason: 'below the range of node ports',
    given: { spec: { imageTag: 'x', nodePort: 29999 } },
    want: invalid(/^spec\.nodePort /),
  },
  'C-9 PortAbove': {
    reason: 'above the range of node ports',
    given: { spec: { imageTag: 'x', nodePort: 32768 } },
    want: invalid(/^spec\.nodePort /),
  },
  'C-9 PortAsText': {
    reason: 'a string is not a number',
    given: { spec: { imageTag: 'x', nodePort: '31000' } },
    want: invalid(/^spec\.nodePort /),
  },
  'C-9 TwoFields': {
    reason: 'every invalid field is named',
    given: { spec: { imageTag: '', nodePort: 1 } },
    want: invalid(/spec\.imageTag .*; spec\.nodePort /),
  },
  'C-9 NoMap': {
    reason: 'a spec is a map',
    given: { spec: 'latest' },
    want: invalid(/^spec /),
  },
  UnknownField: {
    reason: 'a field of a newer schema is ignored',
    given: { spec: { imageTag: '1.2', color: 'blue' } },
    want: children(),
  },
  'C-12 LongName': {
    reason: 'a custom resource has up to 253 characters, a label and a Service 63',
    given: { name: long },
    want: children({
      names: [expect.stringMatching(hashed), expect.stringMatching(hashed)],
      label: expect.stringMatching(hashedLabel),
    }),
  },
  'C-12 DotInName': {
    reason: 'the name of a Service has no dots, that of a Deployment may',
    given: { name: 'my.shop' },
    want: children({
      names: ['my.shop', expect.stringMatching(/^my-shop-[0-9a-f]{10}$/)],
      label: 'my.shop',
    }),
  },
  'C-12 DigitFirst': {
    reason: 'the name of a Service begins with a letter',
    given: { name: '1shop' },
    want: children({
      names: ['1shop', expect.stringMatching(/^shop-[0-9a-f]{10}$/)],
      label: '1shop',
    }),
  },
};

describe('children of a Website', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(website.desired({ ...resource, ...given })).toEqual(want);
  });

  it('C-9 leaves the spec as it is', () => {
    const spec = Object.freeze({ imageTag: 'x' });
    website.desired({ ...resource, spec });
    expect(spec).toEqual({ imageTag: 'x' });
  });
});

const image = 'spec.template.spec.containers[name="nginx"].image';
const imageChange = (from: unknown, to: unknown = 'abangser/todo-local-storage:2') => ({
  child: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
  path: image,
  from,
  to,
});

const notes: Record<string, { reason: string; given: Partial<Progress>; want: readonly Note[] }> = {
  'W-1 NewTag': {
    reason: 'a new generation changed the image',
    given: { changes: [imageChange('abangser/todo-local-storage:1')] },
    want: [
      {
        type: 'Normal',
        reason: 'ImageUpdated',
        message: 'Image tag has updated from "1" to "2"',
      },
    ],
  },
  'W-1 HandEdit': {
    reason: 'a repair of a hand edit is not reported',
    given: { newGeneration: false, changes: [imageChange('abangser/todo-local-storage:1')] },
    want: [],
  },
  'W-1 OtherField': {
    reason: 'another field of the Deployment changed',
    given: { changes: [{ ...imageChange(2, 3), path: 'spec.replicas' }] },
    want: [],
  },
  'W-1 Unknown': {
    reason: 'the previous tag is unknown',
    given: { changes: [imageChange(undefined)] },
    want: [],
  },
  Created: { reason: 'the Deployment was created, not changed', given: {}, want: [] },
};

describe('notes of a Website', () => {
  it.each(casesOf(notes))('%s', (_, { given, want }) => {
    const progress = { newGeneration: true, completed: true, changes: [], ...given };
    expect(website.notes(progress)).toEqual(want);
  });
});
