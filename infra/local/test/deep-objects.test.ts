import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../client.ts';
import { chooseRelease } from '../control-plane/release.ts';
import { cases } from './contract/cases/deep-objects.ts';
import { registerDefinitions } from './contract/definitions.ts';
import { runCase } from './contract/run-case.ts';

// Vitest's threads have a stack four times as large as that of `npm start`.
let thread: Worker;
let client: Client;
beforeAll(async () => {
  thread = new Worker(new URL('./cluster-thread.ts', import.meta.url), {
    resourceLimits: { stackSizeMb: 1 },
  });
  const [url] = await once(thread, 'message');
  client = createClient({ url });
  await registerDefinitions(client);
}, 60_000);
afterAll(async () => {
  await client?.close();
  await thread?.terminate();
});

describe('on the stack of a main thread', () => {
  test.each(cases)('$id: $reason', (given) =>
    runCase(
      given,
      { name: `deep-${given.id}` },
      { client, minor: chooseRelease().minor, patienceMilliseconds: 3_000 },
    ),
  );

  // Not a contract case: the real server stores the object before it refuses it, and can never list the kind
  // again.
  test('a custom resource whose managedFields would be too deep to read back is refused', async () => {
    const gadgets = '/apis/contract.example.com/v1/namespaces/default/gadgets';
    const free = `${'{"a":'.repeat(9994)}{}${'}'.repeat(9994)}`;
    const answer = await client.send({
      method: 'POST',
      path: gadgets,
      body: `{"apiVersion":"contract.example.com/v1","kind":"Gadget","metadata":{"name":"x"},"spec":{"free":${free}}}`,
    });
    expect(answer).toMatchObject({
      status: 500,
      body: { message: "invalid character '{' exceeded max depth" },
    });
  });
});

describe('large managedFields are recorded in a time that grows with their size', () => {
  const shuffled = (count: number): number[] =>
    Array.from({ length: count }, (_, at) => (at * 7919) % count);
  const wide = (count: number, element: (at: number) => string): string =>
    `{${shuffled(count)
      .map((at) => `${JSON.stringify(element(at))}:{}`)
      .join(',')}}`;
  const chain = (levels: number): string => `${'{"f:a":'.repeat(levels)}{}${'}'.repeat(levels)}`;
  const entry = (fieldsV1: string, manager = 'm'): string =>
    `{"manager":"${manager}","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":${fieldsV1}}`;
  const forms: Readonly<Record<string, string>> = {
    fields: entry(wide(80_000, (at) => `f:k${at}`)),
    values: entry(wide(60_000, (at) => `v:"k${at}"`)),
    keys: entry(wide(25_000, (at) => `k:{"name":"k${at}","port":${at}}`)),
    branches: entry(
      `{${shuffled(500)
        .map((at) => `"f:k${at}":${chain(300)}`)
        .join(',')}}`,
    ),
    'late branches': entry(
      `${'{"f:a":'.repeat(199)}{${shuffled(5000)
        .map((at) => `"f:k${at}":${chain(30)}`)
        .join(',')}}${'}'.repeat(199)}`,
    ),
    entries: shuffled(4000)
      .map((at) => entry(`{"f:data":{"f:k${at}":{}}}`, `m${at}`))
      .join(','),
  };

  test.each(Object.keys(forms))('%s', async (form) => {
    const name = form.replace(' ', '-');
    const { status } = await client.send({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body: `{"metadata":{"name":"${name}","managedFields":[${forms[form]}]}}`,
    });
    expect(status).toBe(201);
  });
});
