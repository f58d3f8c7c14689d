import { type TSchema, Type } from 'typebox';
import { recordingFormat, recordingVersion } from '../../shared/recording/recording.ts';

const text = Type.String();
const object = Type.Object({
  metadata: Type.Object({ name: text, uid: text, resourceVersion: text }),
});
const error = Type.Object({ name: text, message: text });
const key = { type: text, namespace: Type.Optional(text), name: text };
const line = <const Name extends string>(name: Name) => Type.Literal(name);

const strings = Type.Record(text, Type.Union([text, Type.Array(text)]));
const selection = Type.Object(
  {
    namespace: Type.Optional(text),
    name: Type.Optional(text),
    labels: Type.Optional(strings),
    selector: Type.Optional(text),
    fields: Type.Optional(strings),
    metadataOnly: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
const listed = { line: line('read'), request: line('list'), type: text, selection };
const read = {
  line: line('read'),
  ...key,
  request: Type.Union([line('get'), line('getMetadata')]),
};
const asked = { line: line('asked'), sent: text, ...key };
const writer = Type.Object({ manager: text, time: Type.Optional(text) });
const decision = Type.Object({
  kind: text,
  resource: text,
  namespace: text,
  name: text,
  uid: text,
  state: text,
  message: Type.Optional(text),
  actions: Type.Array(
    Type.Object({
      verb: text,
      child: Type.Object({
        apiVersion: text,
        kind: text,
        namespace: Type.Optional(text),
        name: text,
      }),
      reason: Type.Optional(text),
      message: Type.Optional(text),
      differences: Type.Array(Type.Object({ path: text, writer: Type.Optional(writer) })),
      impact: Type.Optional(Type.Array(text)),
      requests: Type.Array(Type.Object({ verb: text })),
    }),
  ),
  status: Type.Optional(
    Type.Object({ state: text, reason: Type.Optional(text), message: Type.Optional(text) }),
  ),
  events: Type.Array(Type.Object({ reason: text, message: text })),
  commit: Type.Array(Type.Object({ verb: text })),
});

export const lineSchemas = {
  header: Type.Object({
    line: line('header'),
    format: Type.Literal(recordingFormat),
    version: Type.Literal(recordingVersion),
    product: text,
    server: text,
    salt: text,
    at: Type.String({ format: 'date-time' }),
    trigger: Type.Union([line('resync'), line('request'), line('audit')]),
    reconcileRequests: Type.Array(Type.Unknown(), { minItems: 1 }),
    identity: Type.Object({ name: text }),
    kinds: Type.Record(text, text),
    settings: Type.Record(text, text),
  }),
  read: Type.Union([
    Type.Object({ ...listed, items: Type.Array(object) }),
    Type.Object({ ...listed, error }),
    Type.Object({ ...read, object: Type.Union([object, Type.Null()]) }),
    Type.Object({ ...read, error }),
  ]),
  asked: Type.Union([Type.Object({ ...asked, object }), Type.Object({ ...asked, error })]),
  write: Type.Object({ line: line('write'), request: text, ...key, error: Type.Optional(error) }),
  decided: Type.Object({ line: line('decided'), resource: decision }),
  desired: Type.Object({ line: line('desired'), resource: decision }),
  totals: Type.Object({
    line: line('totals'),
    total: Type.Integer(),
    pruning: text,
    idle: Type.Object({ suspended: Type.Integer(), deleting: Type.Integer() }),
    incomplete: Type.Array(Type.Object({ kind: text, error: text })),
    requests: Type.Object({ taken: Type.Integer(), toPerform: Type.Integer() }),
  }),
  truncated: Type.Object({ line: line('truncated'), limit: Type.Integer() }),
  end: Type.Object({ line: line('end'), lines: Type.Integer() }),
} satisfies Readonly<Record<string, TSchema>>;

export const namedLine = Type.Object({ line: text });

/** The first line of a recording of any version. */
export const anyHeader = Type.Object({
  format: Type.Literal(recordingFormat),
  version: Type.Integer(),
});
