import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { narrateEdits } from '../../infra/start/log/edits.ts';
import { suspendAnnotation } from '../../shared/kinds/names.ts';
import { foo } from '../../systems/foo.ts';

/** Annotations that the API server returns for every resource. */
let annotations: Readonly<Record<string, string>> = {};
/** Body that the API server sends instead of the resource. */
let unreadable: string | undefined;
const server = createServer((_, response) => {
  response.end(unreadable ?? JSON.stringify({ metadata: { annotations } }));
});
let said: string[] = [];
let narrate: (event: unknown) => void;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());
beforeEach(() => {
  annotations = {};
  unreadable = undefined;
  said = [];
  narrate = narrateEdits({
    api: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    user: 'functions',
    kinds: () => [foo],
    say: (_, text) => said.push(text),
  });
});

const event = (verb: string, over: object = {}, ref: object = {}) => ({
  kind: 'Event',
  stage: 'ResponseComplete',
  verb,
  user: { username: 'jane' },
  userAgent: 'kubectl/v1.36 (linux)',
  responseStatus: { code: 200 },
  objectRef: {
    apiGroup: foo.group,
    apiVersion: foo.version,
    resource: foo.plural,
    namespace: 'default',
    name: 'a',
    ...ref,
  },
  ...over,
});

const suspend = { [suspendAnnotation]: 'true' };
const suffix = 'by jane with kubectl';

it('npm start prints who creates, edits, suspends, resumes and deletes a resource', async () => {
  const steps = [
    { of: event('create'), want: 'created' },
    { of: event('patch'), want: 'edited' },
    { of: event('patch'), live: suspend, want: 'suspended' },
    { of: event('update'), live: suspend, want: 'edited' },
    { of: event('patch'), want: 'resumed' },
    { of: event('delete'), want: 'deleted' },
  ];
  for (const { of, live = {}, want } of steps) {
    annotations = live;
    narrate(of);
    await vi.waitFor(() => expect(said).toHaveLength(1));
    expect(said.splice(0)).toEqual([`foo.example.com/a ${want} ${suffix}`]);
  }
});

it.each(['oops', 'null'])(
  'npm start prints a plain edit if the API server responds with %s',
  async (text) => {
    annotations = suspend;
    narrate(event('patch'));
    await vi.waitFor(() => expect(said).toHaveLength(1));
    unreadable = text;
    narrate(event('patch'));
    await vi.waitFor(() => expect(said).toHaveLength(2));
    expect(said).toEqual([
      `foo.example.com/a suspended ${suffix}`,
      `foo.example.com/a edited ${suffix}`,
    ]);
  },
);

it('npm start prints a namespace other than default', async () => {
  narrate(event('delete', {}, { namespace: 'team-a' }));
  await vi.waitFor(() => expect(said).toEqual([`foo.example.com/a in team-a deleted ${suffix}`]));
});

const quiet: Record<string, object> = {
  'of the functions, which report it themselves': event('patch', {
    user: { username: 'functions' },
  }),
  'of the control plane': event('delete', { user: { username: 'system:garbage-collector' } }),
  'that was refused': event('patch', { responseStatus: { code: 422 } }),
  'that stored nothing': event('patch', { requestURI: '/apis/x?dryRun=All' }),
  'of a status': event('patch', {}, { subresource: 'status' }),
  'of another type': event('patch', {}, { resource: 'others' }),
};

it.each(Object.entries(quiet))('npm start prints nothing about a write %s', async (_, one) => {
  narrate(one);
  narrate(event('delete'));
  await vi.waitFor(() => expect(said).not.toEqual([]));
  expect(said).toEqual([`foo.example.com/a deleted ${suffix}`]);
});
