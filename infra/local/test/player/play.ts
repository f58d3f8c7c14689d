import type { Answer, ApiRequest, Client } from '../../client.ts';
import { fillIn } from '../contract/placeholders.ts';
import type { Edit } from './bodies.ts';
import { remove, set } from './corrupt.ts';
import { createMask } from './mask.ts';
import type { Move } from './moves.ts';

/** A server and a namespace for one game. */
export interface Table {
  readonly client: Client;
  readonly namespace: string;
  /** Node ports that no other game requests. */
  readonly ports: readonly number[];
}

/** The result of a move on one server: the request, its answer, and the object as read afterwards. */
export interface Turnout {
  readonly asked: ApiRequest;
  readonly answer: Answer;
  readonly after: Answer;
  readonly masked: Record<string, unknown>;
}

export interface Player {
  readonly take: (move: Move) => Promise<Turnout>;
  /** Releases what other games may need. */
  readonly leave: () => Promise<void>;
}

const nothingRead = {
  metadata: { uid: '99999999-2222-4333-8444-555555555555', resourceVersion: '1' },
};

/** Joins a game: creates its namespace. */
export async function sitDown({ client, namespace, ports }: Table): Promise<Player> {
  const made = await client.send({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });
  if (made.status !== 201) throw new Error(`cannot create namespace ${namespace}: ${made.text}`);
  const first = new Map<string, unknown>();
  const live = new Map<string, unknown>();
  const mask = createMask();

  function concrete({ object, request, edits }: Move): ApiRequest {
    const read = live.get(object) ?? nothingRead;
    const bodies = new Map([
      ['live', read],
      ['first', first.get(object) ?? nothingRead],
      ['port', ports],
    ]);
    const base = live.get(object) ?? request.body;
    const asked = edits === undefined ? request : { ...request, body: edited(base, edits) };
    return fillIn(asked, { namespace, bodies });
  }

  async function take(move: Move): Promise<Turnout> {
    const asked = concrete(move);
    const answer = await client.send(asked);
    const path = fillIn(move.object, { namespace, bodies: new Map() });
    const after = await client.send({ method: 'GET', path });
    if (after.status === 200) {
      live.set(move.object, after.body);
      if (!first.has(move.object)) first.set(move.object, after.body);
    }
    const masked = {
      answer: maskAnswer(answer),
      after: maskAnswer(after),
    };
    return { asked, answer, after, masked };
  }

  const maskAnswer = ({ status, text, body, headers }: Answer) => ({
    status,
    warnings: status < 300 ? fieldWarnings(headers.warning) : [],
    body: mask.apply(body ?? text),
  });

  const leave = async (): Promise<void> => {
    const services = `/api/v1/namespaces/${namespace}/services`;
    const { body } = await client.send({ method: 'GET', path: services });
    const { items } = body as {
      readonly items: readonly { readonly metadata: { readonly name: string } }[];
    };
    for (const { metadata } of items) {
      const path = `${services}/${metadata.name}`;
      const patch = [{ op: 'add', path: '/metadata/finalizers', value: [] }];
      const headers = { 'content-type': 'application/json-patch+json' };
      await client.send({ method: 'PATCH', path, headers, body: patch });
      await client.send({ method: 'DELETE', path });
    }
  };
  return { take, leave };
}

/** Keeps only warnings about unknown and duplicate fields. */
const fieldWarnings = (header = ''): readonly string[] =>
  header.match(/(?:unknown|duplicate) field \\"[^"]*\\"/g) ?? [];

export function edited(read: unknown, edits: readonly Edit[]): unknown {
  return edits.reduce(
    (body, { place, value }) => (value === null ? remove(body, place) : set(body, place, value)),
    read,
  );
}
