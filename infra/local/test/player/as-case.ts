import type { ApiRequest } from '../../client.ts';
import { valueAt } from '../contract/value-at.ts';
import type { Turnout } from './play.ts';

/**
 * Prints the requests of a game as a contract case to paste, with the answers of the real server. Values that
 * the server generated become placeholders for the answers that contained them.
 */
export function asCase(id: string, turnouts: readonly Turnout[], namespace: string): string {
  const made = new Map<string, string>([[namespace, '{ns}']]);
  const steps = turnouts.flatMap(({ asked, answer, after }, index) => {
    const name = `read${index + 1}`;
    const step = {
      request: asked,
      expect: { status: answer.status, ...expectedBody(answer.body) },
    };
    const read = { name, request: readOf(asked), expect: { status: after.status } };
    const text = [step, read].map((one) => withPlaceholders(one, made));
    for (const path of ['metadata.uid', 'metadata.resourceVersion']) {
      const value = valueAt(after.body, path);
      if (typeof value === 'string' && !made.has(value)) made.set(value, `{${name}.${path}}`);
    }
    return text;
  });
  return JSON.stringify({ id, reason: 'found by the player', steps }, undefined, 2);
}

function expectedBody(body: unknown): object {
  if (valueAt(body, 'kind') !== 'Status' || valueAt(body, 'status') === 'Success') return {};
  const { reason, message, details } = body as Record<string, unknown>;
  return { error: { reason, message, details } };
}

const readOf = ({ method, path, body }: ApiRequest): ApiRequest => {
  const object = path.replace(/\/(status|scale)$/, '');
  const name = method === 'POST' ? `/${valueAt(body, 'metadata.name') ?? ''}` : '';
  return { method: 'GET', path: `${object}${name}` };
};

function withPlaceholders(value: unknown, made: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    return [...made].reduce(
      (text, [from, to]) =>
        from.length > 6 ? text.replaceAll(from, to) : text === from ? to : text,
      value,
    );
  }
  if (Array.isArray(value)) return value.map((item) => withPlaceholders(item, made));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withPlaceholders(inner, made)]),
  );
}
