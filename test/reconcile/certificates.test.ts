import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../index.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { condition } from '../scenarios/resources.ts';
import { mesh } from '../support/mesh.ts';
import type { Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

const day = 24 * 3_600_000;
const begin = Date.parse('2026-11-26T12:00:00Z');
let now = begin;
const engine = useEngine({ controllers: 'paused', install: [mesh], clock: () => new Date(now) });
let place: Place;

const request = async (dnsNames: readonly string[], authority?: string): Promise<void> => {
  await place.api.patch(mesh, 'one', { spec: { dnsNames: [...dnsNames], authority } } as never);
};
beforeEach(async () => {
  now = begin;
  place = await engine.place([mesh]);
  await place.api.create(mesh, 'one', { spec: { dnsNames: ['a.example.org', 'b.example.org'] } });
  await place.resync();
});

const dataOf = async (name: string): Promise<Readonly<Record<string, string>>> => {
  const { data } = (await place.api.get(secret, name)) as { data?: Record<string, string> };
  const strings = Object.entries(data ?? {}).map(
    ([key, value]) => [key, Buffer.from(value, 'base64').toString()] as const,
  );
  return Object.fromEntries(strings);
};

type Data = Readonly<Record<string, string>>;

/** Returns what a server receives from a client, after each has verified the other's certificate. */
async function exchange(server: Data, client: Data): Promise<string> {
  const optionsOf = ({ 'ca.crt': ca = '', 'tls.crt': cert = '', 'tls.key': key = '' }: Data) => ({
    ca,
    cert,
    key,
  });
  const listener = createServer({ ...optionsOf(server), requestCert: true });
  const received = new Promise<string>((resolve, reject) => {
    listener.on('tlsClientError', reject);
    listener.on('secureConnection', (socket) => {
      socket.once('data', (bytes) => resolve(String(bytes)));
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const socket = connect({ ...optionsOf(client), port, servername: 'a.example.org' });
  try {
    const failed = once(socket, 'close').then(() => 'closed');
    socket.write('hello');
    return await Promise.race([received, failed]);
  } finally {
    socket.destroy();
    listener.close();
  }
}

const certificateOf = async (name: string) =>
  new X509Certificate((await dataOf(name))['tls.crt'] ?? '');
const certificates = () => Promise.all([certificateOf('one-ca'), certificateOf('one-tls')]);

describe('certificates of a kind', () => {
  test('are signed by their authority in the run that creates it', async () => {
    const [authority, server] = await certificates();
    expect(authority.ca && authority.verify(authority.publicKey)).toBe(true);
    expect(server.ca).toBe(false);
    expect(server.checkIssued(authority) && server.verify(authority.publicKey)).toBe(true);
    expect(server.subjectAltName).toBe('DNS:a.example.org, DNS:b.example.org');
    const data = await dataOf('one-tls');
    expect(server.checkPrivateKey(createPrivateKey(data['tls.key'] ?? ''))).toBe(true);
    expect(data['ca.crt']).toBe((await dataOf('one-ca'))['tls.crt']);
  });

  test('are renewed once, after two thirds of their lifetime', async () => {
    const [authority, server] = await certificates();
    now = begin + 59 * day;
    expect((await place.resync()).outcomes).toMatchObject({ updated: 0 });
    now = begin + 61 * day;
    expect(await place.resync()).toMatchObject({
      outcomes: { updated: 1 },
      origins: { reference: 1, drift: 0 },
    });
    const [same, renewed] = await certificates();
    expect(same.serialNumber).toBe(authority.serialNumber);
    expect(renewed.serialNumber).not.toBe(server.serialNumber);
    expect(renewed.validToDate.getTime()).toBe(now + 90 * day);
    expect((await place.resync()).outcomes).toMatchObject({ updated: 0 });
    // Nobody else has changed the Secret.
    expect(await place.api.list(eventType)).toMatchObject([
      {
        reason: 'Updated',
        message: 'Secret one-tls: data.tls.crt (secret changed); data.tls.key (secret changed)',
      },
    ]);
  });

  test('are made again if a clock that was ahead has made them for later', async () => {
    now = begin + 61 * day;
    await place.resync();
    now = begin;
    expect((await place.resync()).outcomes).toMatchObject({ updated: 1 });
    const [, server] = await certificates();
    expect(server.validFromDate.getTime()).toBeLessThan(now);
    expect((await place.resync()).outcomes).toMatchObject({ updated: 0 });
  });

  test('are signed again if their names change', async () => {
    await request(['c.example.org']);
    await place.resync();
    const [, server] = await certificates();
    expect(server.subjectAltName).toBe('DNS:c.example.org');
    expect((await place.resync()).outcomes).toMatchObject({ updated: 0 });
  });

  test('are signed again after their authority was generated again', async () => {
    await request(['a.example.org'], 'second');
    await place.resync();
    const [authority, server] = await certificates();
    expect(server.verify(authority.publicKey)).toBe(true);
    expect((await place.resync()).outcomes).toMatchObject({ updated: 0 });
  });

  test('are trusted by those of the former authority, and trust them, until it is replaced twice', async () => {
    // TLS checks the time.
    now = Date.now();
    await place.api.create(mesh, 'two', { spec: { dnsNames: ['a.example.org'] } });
    const made: Data[] = [];
    for (const authority of ['', 'second', 'third']) {
      await place.api.patch(mesh, 'two', { spec: { authority } } as never);
      await place.resync();
      made.push(await dataOf('two-tls'));
    }
    const [first = {}, second = {}, third = {}] = made;
    for (const [server, client] of [
      [first, second],
      [second, first],
      [third, second],
      [second, third],
      [third, third],
    ] as const)
      expect(await exchange(server, client)).toBe('hello');
    await expect(exchange(first, third)).rejects.toThrow();
    await expect(exchange(third, first)).rejects.toThrow();
  });

  test('of a former authority that has expired are no longer trusted', async () => {
    const [former] = await certificates();
    now = begin + 3651 * day;
    await place.resync();
    const { 'ca.crt': bundle = '', 'tls.crt': chain = '' } = await dataOf('one-ca');
    expect(bundle).toBe(chain);
    expect(bundle.match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
    expect(new X509Certificate(bundle).fingerprint).not.toBe(former.fingerprint);
  });

  test('are generated again, with a new key, if a part of their data is lost', async () => {
    const before = await dataOf('one-key');
    await place.api.patch(secret, 'one-key', { data: { 'id.pub': null } } as never);
    await place.resync();
    const after = await dataOf('one-key');
    expect(after.id).not.toBe(before.id);
    const derived = createPublicKey(createPrivateKey(after.id ?? ''));
    expect(derived.export({ type: 'spki', format: 'pem' })).toBe(after['id.pub']);
  });

  test.each([
    ['one-tls', { 'tls.crt': 'junk' }],
    ['one-tls', { 'tls.key': 'junk' }],
    ['one-tls', { 'ca.crt': 'junk' }],
    ['one-ca', { 'tls.crt': 'junk' }],
    ['one-key', { id: 'junk' }],
    ['one-key', { 'id.pub': 'junk' }],
  ])(
    'of %s are reported if someone has overwritten %j, until the value is restored or emptied',
    async (name, junk) => {
      const before = await dataOf(name);
      await place.api.patch(secret, name, { stringData: junk } as never);
      for (let runs = 0; runs < 2; runs++) await place.resync();
      const [key = ''] = Object.keys(junk);
      const stalled = async () => condition(await place.api.get(mesh, 'one'), 'Stalled');
      expect(await stalled()).toMatchObject({ status: 'True', reason: 'CredentialsLost' });
      expect(await dataOf(name)).toEqual({ ...before, ...junk });
      await place.api.patch(secret, name, { stringData: { [key]: before[key] } } as never);
      await place.resync();
      expect((await stalled())?.status).not.toBe('True');
      await place.api.patch(secret, name, { stringData: junk } as never);
      await place.resync();
      await place.api.patch(secret, name, { data: { [key]: '' } } as never);
      await place.resync();
      expect((await stalled())?.status).not.toBe('True');
      const after = await dataOf(name);
      for (const one of Object.keys(before)) expect(after[one]).not.toBe('junk');
    },
  );

  test('are reported if the key belongs to another certificate', async () => {
    const { 'tls.key': foreign = '' } = await dataOf('one-ca');
    await place.api.patch(secret, 'one-tls', { stringData: { 'tls.key': foreign } } as never);
    await place.resync();
    expect(condition(await place.api.get(mesh, 'one'), 'Stalled')).toMatchObject({
      reason: 'CredentialsLost',
      message:
        'Secret one-tls: the values of ca.crt, tls.crt, tls.key cannot be parsed or do not belong together: restore them, or empty one of them to have all generated again',
    });
  });

  test('do not outlive their authority', async () => {
    now = begin + 3600 * day;
    await place.resync();
    await place.resync();
    const [authority, server] = await certificates();
    expect(server.validToDate <= authority.validToDate).toBe(true);
    expect(server.validToDate.getTime()).toBeGreaterThan(now);
  });

  test('wait until an authority that has lost its key is generated again', async () => {
    await place.api.patch(secret, 'one-ca', { data: { 'tls.key': '' } } as never);
    await request(['d.example.org']);
    for (let runs = 0; runs < 3; runs++) await place.resync();
    const [authority, server] = await certificates();
    expect(server.subjectAltName).toBe('DNS:d.example.org');
    expect(server.verify(authority.publicKey)).toBe(true);
  });
});
