import type { IncomingMessage } from 'node:http';
import { isFields, textAt } from '../../shared/json.ts';
import { keyOf } from '../../shared/kubernetes.ts';
import { parseRequest } from '../../shared/reconcile-request.ts';
import { RefusedActionError } from '../actions/refused-action-error.ts';
import type { Board } from './board.ts';
import type { Operations } from './operations.ts';
import type { Looked, ResourceView, ShownRollout } from './views.ts';

interface Posted {
  readonly operations: Operations;
  readonly board: Board;
  readonly pathname: string;
}

/** Undefined for an unknown path. */
export async function handlePost(
  { operations, board, pathname }: Posted,
  body: unknown,
): Promise<unknown> {
  const mutate = async <T>(change: () => Promise<T>): Promise<T> => {
    if (operations.about.readOnly)
      throw new RefusedActionError('this dashboard is read-only: start it without --read-only');
    const done = await change();
    await board.refresh();
    return done;
  };
  switch (pathname) {
    case '/detail':
      return operations.detail(shown(board, body));
    case '/manifest':
      return operations.manifest(looked(board, body));
    case '/pods':
      return operations.pods(looked(board, body));
    case '/plan':
      return operations.plan(reconcileRequestIn(body));
    case '/apply':
      return mutate(() => operations.apply(textAt(body, 'id') ?? ''));
    case '/resync':
      return mutate(() => operations.resync(reconcileRequestIn(body)));
    case '/suspend':
    case '/resume':
      return mutate(() => operations.suspend(shown(board, body), pathname === '/suspend'));
    case '/rollout/pause':
      return mutate(() => operations.pauseRollout(seenRollout(body)));
    case '/rollout/resume':
      return mutate(() => operations.resumeRollout(seenRollout(body)));
    case '/rollout/first':
      return mutate(() => operations.rollOutFirst(shown(board, body)));
    default:
      return undefined;
  }
}

function shown(board: Board, body: unknown): ResourceView {
  const id = textAt(body, 'id');
  const found = board.snapshot()?.resources.find((one) => one.id === id);
  if (found === undefined) throw new RefusedActionError(`resource ${id} no longer exists`);
  return found;
}

function looked(board: Board, body: unknown): Looked {
  const resource = shown(board, body);
  const key = textAt(body, 'child');
  if (key === undefined) return { resource, child: undefined };
  const found = resource.children.find(({ child }) => keyOf(child) === key);
  if (found === undefined) throw new RefusedActionError(`child ${key} no longer exists`);
  return { resource, child: found.child };
}

/** The rollout as the page showed it; the operation is refused if the rollout has changed since. */
const seenRollout = (body: unknown): ShownRollout => ({
  resource: textAt(body, 'resource') ?? '',
  state: textAt(body, 'state') ?? '',
  failed: isFields(body) && typeof body.failed === 'number' ? body.failed : 0,
});

function reconcileRequestIn(body: unknown) {
  const request = parseRequest(isFields(body) ? body.request : undefined);
  if (typeof request === 'string') throw new RefusedActionError(request);
  return request;
}

const maxBody = 64 * 1024;

export async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = '';
  request.setEncoding('utf8');
  for await (const part of request) {
    text += part;
    if (text.length > maxBody)
      throw new RefusedActionError(`the body exceeds ${maxBody} characters`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new RefusedActionError('the body is not JSON');
  }
}
