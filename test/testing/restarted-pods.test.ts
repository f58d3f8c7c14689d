import { expect, test } from 'vitest';
import {
  type Child,
  child,
  defineKind,
  deployment,
  objectName,
  rollOnChange,
  secret,
  secretValue,
  Type,
  template,
  workloadName,
} from '../../index.ts';
import { expectReliable } from '../../testing/index.ts';
import { laws } from '../../testing/law.ts';

type Content = Omit<Parameters<typeof child>[1], 'name' | 'body'>;
type Read = { readonly name: string; readonly digest: string } | undefined;
type Roll = (made: Child, read: Read) => object;

const sources: Record<string, (name: string, text: string) => Content> = {
  'another rotation': (_, rotation) => ({
    generated: { keys: ['PASSWORD'], usedBy: [], rotation },
  }),
  'another text of a template': (name, text) => ({
    templates: { PASSWORD: template`${text}${secretValue({ name: `${name}-other` }, 'key')}` },
  }),
};
const rolls: readonly (readonly [string, Roll, string | undefined])[] = [
  ['not at all', () => ({}), laws.restarted],
  ['by the child', (made) => rollOnChange(made), undefined],
  ['by the Secret that is read', (_, read) => rollOnChange(read), undefined],
];

/** A kind whose pods take a value from a Secret, which its text changes. */
const kindOf = (content: (typeof sources)[string], roll: Roll, isRead: boolean) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Rolling',
    plural: 'rollings',
    spec: Type.Object({ text: Type.Enum(['a', 'b']) }),
    samples: [{ name: 'one', spec: { text: 'a' } }],
    owns: [secret, deployment],
    reads: {
      made: { type: secret, name: ({ name }) => (isRead ? objectName(`${name}-made`) : undefined) },
      other: { type: secret, name: ({ name }) => objectName(`${name}-other`) },
    },
    children({ name, spec: { text }, reads }) {
      const made = child(secret, {
        name: objectName(`${name}-made`),
        body: {},
        ...content(name, text),
      });
      const other = child(secret, {
        name: objectName(`${name}-other`),
        body: { data: { key: 'MQ==' } },
      });
      const labels = { app: 'rolling' };
      const envFrom = [{ secretRef: { name: made.name } }];
      const annotations = { ...roll(made, reads.made) };
      return [
        made,
        other,
        child(deployment, {
          name: workloadName(name),
          needs: [made],
          body: {
            spec: {
              selector: { matchLabels: labels },
              template: {
                metadata: { labels, annotations },
                spec: { containers: [{ name: 'web', image: 'web:1', envFrom }] },
              },
            },
          },
        }),
      ];
    },
  });

const cases = Object.entries(sources).flatMap(([what, content]) =>
  rolls.map(([how, roll, law]) => [what, how, content, roll, law] as const),
);

test.each(cases)(
  'expectReliable judges whether pods restart for %s: %s',
  async (_, how, content, roll, law) => {
    const kind = kindOf(content, roll, how === 'by the Secret that is read');
    const found = await expectReliable(kind, { specs: [{ text: 'a' }, { text: 'b' }] }).then(
      () => undefined,
      (error: { readonly law?: string; readonly message: string }) => error.law ?? error.message,
    );
    expect(found).toBe(law);
  },
);
