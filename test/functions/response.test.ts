import { once } from 'node:events';
import { connect } from 'node:net';
import { http } from '@google-cloud/functions-framework';
import { describe, expect, it } from 'vitest';
import { createResponder, jsonBodyOf } from '../../functions/response.ts';
import { readLogLine } from '../../infra/log-line.ts';
import {
  CredentialsError,
  DeadlineError,
  KubeError,
  UnreachableError,
} from '../../shared/cluster/cluster-errors.ts';
import { RequestFailure } from '../../shared/controller/request-errors.ts';
import { createLog } from '../../shared/log.ts';
import { casesOf } from '../support/cases.ts';
import { type FunctionRequest, startFunction } from '../support/function-endpoint.ts';

const lines: string[] = [];
const respond = createResponder(createLog((line) => lines.push(line), 'DEBUG'));

http('echo', (request, response) =>
  respond(response, async () => ({ body: jsonBodyOf(request) ?? 'none' })),
);

http('domain', (_, response) =>
  respond(response, async () => {
    await null;
    return { domain: (process as { readonly domain?: unknown }).domain ?? 'none' };
  }),
);

it('runs outside of any domain, because Node would track every promise for it', async () => {
  const ask = await startFunction('domain');
  expect((await ask()).body).toEqual({ domain: 'none' });
});

it('counts requests of disconnected clients until their runs end, and answers probes meanwhile', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  http('hanging', (_, response) =>
    respond(response, async () => {
      begun++;
      await promise;
      return {};
    }),
  );
  const ask = await startFunction('hanging');
  const leave = async (): Promise<void> => {
    const socket = connect(ask.port, '127.0.0.1').resume();
    socket.end('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}');
    await once(socket, 'close');
  };
  await Promise.all(Array.from({ length: 200 }, leave));
  expect(await ask()).toMatchObject({ code: 503 });
  expect(await ask({ method: 'GET' })).toMatchObject({ code: 200, body: { status: 'ok' } });
  resolve();
  while ((await ask()).code !== 200);
  expect(begun).toBe(128 + 1);
});

interface Case {
  readonly reason: string;
  readonly given: FunctionRequest;
  readonly want: { readonly code: number; readonly body: unknown };
}

const error = (code: number, message: unknown) => ({ code, body: { error: message } });
const noObject = error(400, 'the body is not a JSON object');
const text = { 'content-type': 'text/plain' };

const requests: Record<string, Case> = {
  Empty: {
    reason: 'a resync needs no body',
    given: {},
    want: { code: 200, body: { body: 'none' } },
  },
  Object: {
    reason: 'any object is passed on',
    given: { body: { a: [1, null] } },
    want: { code: 200, body: { body: { a: [1, null] } } },
  },
  AnyContentType: {
    reason: 'the content type is ignored',
    given: { body: '{"a":1}', headers: text },
    want: { code: 200, body: { body: { a: 1 } } },
  },
  Text: { reason: 'text is not JSON', given: { body: 'hello', headers: text }, want: noObject },
  Blank: { reason: 'white space is not JSON', given: { body: ' ', headers: text }, want: noObject },
  List: { reason: 'a list is not an object', given: { body: [1] }, want: noObject },
  Null: { reason: 'null is not an object', given: { body: 'null', headers: text }, want: noObject },
  Number: {
    reason: 'a number is not an object',
    given: { body: '5', headers: text },
    want: noObject,
  },
  NotUtf8: {
    reason: 'a binary body is not JSON',
    given: { body: '\u0000', headers: text },
    want: noObject,
  },
  Get: {
    reason: 'platforms probe with GET, without a body',
    given: { method: 'GET' },
    want: { code: 200, body: { status: 'ok' } },
  },
  Head: {
    reason: 'a probe may be a HEAD',
    given: { method: 'HEAD' },
    want: { code: 200, body: '' },
  },
  Put: {
    reason: 'PUT is not supported',
    given: { method: 'PUT', body: {} },
    want: error(405, 'PUT is not allowed: send a POST'),
  },
  Options: {
    reason:
      'a preflight must not allow other sites to send a POST with the credentials of a browser',
    given: { method: 'OPTIONS' },
    want: error(405, 'OPTIONS is not allowed: send a POST'),
  },
  Delete: {
    reason: 'no other method is supported',
    given: { method: 'DELETE' },
    want: error(405, 'DELETE is not allowed: send a POST'),
  },
  Malformed: {
    reason: 'the error for invalid JSON is JSON, and contains no local path',
    given: { body: '{"a":' },
    want: noObject,
  },
  Form: {
    reason: 'only JSON is parsed, even for another content type',
    given: {
      body: 'a[b]=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
    want: noObject,
  },
  Charset: {
    reason: 'JSON is always UTF-8',
    given: { body: '{"a":1}', headers: { 'content-type': 'application/json; charset=utf-7' } },
    want: { code: 200, body: { body: { a: 1 } } },
  },
  TooLarge: {
    reason: 'a body may have at most 1 MiB',
    given: { body: `{"a":"${'x'.repeat(1024 * 1024)}"}`, headers: text },
    want: error(413, 'the body has more than 1048576 bytes: send smaller batches'),
  },
  Path: {
    reason: 'the framework cannot decode the path',
    given: { path: '/%ff', body: {} },
    want: error(
      400,
      'the path has a "%" that does not belong to an encoded UTF-8 character: write it as %25',
    ),
  },
  OtherPath: {
    reason: 'any path is served',
    given: { path: '/a/%41?b=%ff', body: {} },
    want: { code: 200, body: { body: {} } },
  },
  Coded: {
    reason: 'only one content coding is read',
    given: { body: 'x', headers: { 'content-encoding': 'br' } },
    want: error(
      415,
      'the content coding "br" is not supported: send the body with gzip or without a content coding',
    ),
  },
};

describe('a request', () => {
  it.each(casesOf(requests))('%s', async (_, { given, want }) => {
    const send = await startFunction('echo');
    const { code, body } = await send(given);
    expect({ code, body }).toEqual(want);
  });

  it('with another method returns the allowed ones', async () => {
    const send = await startFunction('echo');
    expect((await send({ method: 'PUT' })).headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it('of a probe does no work, is not logged and must not be cached', async () => {
    lines.length = 0;
    thrown.push(new Error('work was done'));
    const send = await startFunction('fail');
    const { code, headers } = await send({ method: 'GET' });
    expect({ code, cache: headers.get('cache-control'), lines }).toEqual({
      code: 200,
      cache: 'no-store',
      lines: [],
    });
    expect(thrown.splice(0)).toHaveLength(1);
  });
});

const kubeError = new KubeError('list foos', {
  code: 403,
  status: { reason: 'Forbidden', message: 'no' },
});

interface Failure {
  readonly reason: string;
  readonly given: unknown;
  readonly want: { readonly code: number; readonly severity: string; readonly error: string };
}

const failures: Record<string, Failure> = {
  Request: {
    reason: 'resending an invalid request does not help',
    given: new RequestFailure('invalid', 'no request'),
    want: { code: 400, severity: 'WARNING', error: 'no request' },
  },
  Unreachable: {
    reason: 'the cluster may be reachable later',
    given: new UnreachableError('no response'),
    want: { code: 503, severity: 'ERROR', error: 'no response' },
  },
  Kube: {
    reason: 'the role may be granted later',
    given: kubeError,
    want: { code: 503, severity: 'ERROR', error: 'cannot list foos: Forbidden: no' },
  },
  Credentials: {
    reason: 'the metadata server may not be ready yet',
    given: new CredentialsError('no token'),
    want: { code: 503, severity: 'ERROR', error: 'no token' },
  },
  Bug: {
    reason: 'an unknown error is a bug',
    given: new TypeError('x is undefined'),
    want: { code: 500, severity: 'ERROR', error: 'x is undefined' },
  },
  Deadline: {
    reason: 'the deadline passed before anything was done',
    given: new DeadlineError('over'),
    want: { code: 503, severity: 'ERROR', error: 'over' },
  },
};

const thrown: unknown[] = [];
http('fail', (_, response) =>
  respond(response, async () => {
    throw thrown.pop();
  }),
);

describe('a failure', () => {
  it.each(casesOf(failures))('%s', async (_, { given, want }) => {
    lines.length = 0;
    thrown.push(given);
    const send = await startFunction('fail');
    const { code, body } = await send();
    const [line] = lines.map((text) => readLogLine(text)!);
    expect({ code, severity: line?.severity, error: line?.error }).toEqual(want);
    expect(body).toEqual({ error: want.error });
  });

  it('that was logged before is not logged again', async () => {
    lines.length = 0;
    thrown.push(new RequestFailure('transient', 'every cluster failed', { isLogged: true }));
    const send = await startFunction('fail');
    expect((await send()).code).toBe(503);
    expect(lines).toEqual([]);
  });
});
