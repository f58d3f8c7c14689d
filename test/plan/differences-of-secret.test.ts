import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import type { Difference } from '../../shared/plan/drift/differences.ts';
import { changeText as describeDifference } from '../../shared/plan/status/kubernetes-events.ts';
import { casesOf } from '../support/cases.ts';
import { databaseSecret, password, secretWants } from '../support/children-of-database.ts';
import { at } from '../support/differences.ts';
import { applied, type Draft, edited } from '../support/edits.ts';
import { merge } from '../support/merge.ts';
import { changesOf } from '../support/worlds.ts';

const writer = { manager: 'kubectl', time: at };
const edit = (change: (draft: Draft) => void, live: KubeObject = databaseSecret()) =>
  edited(live, { by: 'kubectl', at }, change);
const wanting = (over: object): JsonObject => merge<JsonObject>(secretWants, over);
const other = 'bmV3LXZhbHVl';
const changed = (path: string, over: Partial<Difference> = {}): Difference => ({
  path,
  from: '(secret)',
  to: '(secret changed)',
  writer: undefined,
  ...over,
});

interface Case {
  readonly reason: string;
  readonly live?: KubeObject;
  readonly desired?: JsonObject;
  readonly want: readonly Difference[];
  readonly text?: string;
}

const cases: Record<string, Case> = {
  'D-1 Untouched': { reason: 'a password that others have set is concealed', want: [] },
  'D-5 Edited': {
    reason: 'a changed value names its writer, and is concealed',
    live: edit(({ data }) => {
      data.username = other;
    }),
    want: [changed('data.username', { writer })],
    text: 'data.username (secret changed), changed by kubectl',
  },
  'D-5 Removed': {
    reason: 'a removed value names no writer',
    live: edit(({ data }) => {
      delete data.database;
    }),
    want: [changed('data.database', { from: undefined })],
    text: 'data.database (secret changed)',
  },
  'D-5 PasswordEdited': {
    reason: 'a generated password has no drift',
    live: edit(({ data }) => {
      data.password = other;
    }),
    want: [],
  },
  'D-4 AllRemoved': {
    reason: 'a removed data map is concealed as a whole',
    live: edit((secret) => {
      delete secret.data;
    }),
    want: [changed('data', { from: undefined })],
    text: 'data (secret changed)',
  },
  'D-5 ChangedBack': {
    reason: 'a value that was only taken over is reported as equal, and concealed',
    live: edit(
      ({ data }) => {
        data.username = secretWants.data.username;
      },
      edit(({ data }) => {
        data.username = other;
      }),
    ),
    want: [changed('data.username', { to: '(secret)', writer })],
    text: 'data.username taken over by kubectl',
  },
  'A-5 Desired': {
    reason: 'a new desired value is concealed',
    desired: wanting({ data: { username: other } }),
    want: [changed('data.username')],
    text: 'data.username (secret changed)',
  },
  'A-5 Dropped': {
    reason: 'a value that is no longer desired is concealed',
    desired: wanting({ data: { username: undefined } }),
    want: [changed('data.username', { to: undefined })],
    text: 'data.username (secret changed)',
  },
  'A-5 DottedKey': {
    reason: 'a key of data may contain dots',
    desired: wanting({ data: { 'tls.crt': other } }),
    want: [changed('data.tls.crt', { from: undefined })],
  },
  'C-3 StringData': {
    reason: 'stringData is concealed, too',
    desired: { ...secretWants, stringData: { username: 'new-value' } },
    want: [changed('stringData', { from: undefined })],
  },
  'C-3 AmountLike': {
    reason: 'values of a Secret are not compared as quantities',
    live: edit(({ data }) => {
      data.username = '1000';
    }),
    desired: wanting({ data: { username: '1e3' } }),
    want: [changed('data.username', { writer })],
  },
  'C-3 Label': {
    reason: 'metadata of a Secret is shown',
    live: edit(({ metadata }) => {
      metadata.labels['app.kubernetes.io/instance'] = 'x';
    }),
    want: [
      {
        path: 'metadata.labels.app.kubernetes.io/instance',
        from: 'x',
        to: 'test-db',
        writer,
      },
    ],
  },
  'C-3 LastApplied': {
    reason: 'the last-applied annotation of kubectl is no drift',
    live: edit(({ metadata }) => {
      metadata.annotations = {
        'kubectl.kubernetes.io/last-applied-configuration': `{"data":{"password":"${password}"}}`,
      };
    }),
    want: [],
  },
  'C-3 AnnotationsTaken': {
    reason:
      'the last-applied annotation of kubectl is concealed in the difference of all annotations',
    live: edit(
      ({ metadata }) => {
        metadata.annotations = {
          'kubectl.kubernetes.io/last-applied-configuration': `{"data":{"password":"${password}"}}`,
        };
      },
      applied(
        databaseSecret(),
        { by: 'kubectl', at },
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'test-db-credentials', namespace: 'default', annotations: {} },
        },
      ),
    ),
    desired: wanting({ metadata: { annotations: { team: 'a' } } }),
    want: [changed('metadata.annotations', { writer })],
  },
};

describe('drift of a Secret', () => {
  it.each(casesOf(cases))('%s', (_, { live, desired, want, text }) => {
    const differences = changesOf(live ?? databaseSecret(), desired ?? secretWants);
    expect(differences).toEqual(want);
    if (text !== undefined) expect(differences.map(describeDifference)).toEqual([text]);
    for (const value of [password, other, 'new-value', ...Object.values(secretWants.data)])
      expect(JSON.stringify(differences)).not.toContain(value);
  });

  it('D-4 is adopted if it was restored by hand, and reported without its values', () => {
    const held = ['database', 'password', 'username'].map((key) => [`f:${key}`, {}]);
    const restored = databaseSecret({
      metadata: {
        ownerReferences: [],
        managedFields: [
          {
            manager: 'kubectl',
            operation: 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { '.': {}, ...Object.fromEntries(held) } },
            time: at,
          },
        ],
      },
    });
    const differences = changesOf(restored, secretWants);
    expect(differences.map(describeDifference)).toEqual(
      expect.arrayContaining([
        'data.username taken over by kubectl',
        'data.database taken over by kubectl',
      ]),
    );
    expect(JSON.stringify(differences)).not.toContain(secretWants.data.username);
  });
});
