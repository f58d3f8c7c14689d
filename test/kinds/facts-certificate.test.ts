import { describe, expect, it } from 'vitest';
import { certificateFacts, publicKeysIn } from '../../shared/kinds/child-types/facts.ts';
import { signCertificate } from '../../shared/resource/sign-certificate.ts';

const now = new Date('2026-11-26T12:00:00Z');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const made = await signCertificate({ commonName: 'a', days: 30 }, now);
const certificatesIn = (text: string) => text.match(/BEGIN CERTIFICATE/g)?.length;
const own = base64(made['tls.crt']);

describe('the facts of a certificate', () => {
  it('are when it is renewed, after two thirds of its time, and its authority', () => {
    const { renewAt, authority } = certificateFacts({ 'tls.crt': own, 'ca.crt': own });
    // The certificate is valid from an hour earlier.
    expect(renewAt).toBe('2026-12-16T11:40:00.000Z');
    expect(authority).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  });

  it('are known for the largest certificate that a kind may ask for', async () => {
    const dnsNames = Array.from({ length: 100 }, () => 'a'.repeat(253));
    const request = { commonName: '𝒳'.repeat(32), dnsNames };
    const signerIn = (data: Awaited<ReturnType<typeof signCertificate>>) => ({
      certificate: data['tls.crt'],
      key: data['tls.key'],
      trusted: data['ca.crt'],
    });
    const former = signerIn(await signCertificate(request, now));
    const signer = signerIn(await signCertificate(request, now, former));
    const large = await signCertificate({ ...request, issuer: 'ca' }, now, signer);
    expect(certificatesIn(large['tls.crt'])).toBe(2);
    expect(certificatesIn(large['ca.crt'])).toBe(2);
    const data = { 'tls.crt': base64(large['tls.crt']), 'ca.crt': base64(large['ca.crt']) };
    expect(Object.keys(certificateFacts(data))).toEqual(['renewAt', 'validFrom', 'authority']);
  });

  it.each([
    ['no data', undefined],
    ['a text that is no certificate', { 'tls.crt': base64('text'), 'ca.crt': base64('text') }],
    ['a value that is no text', { 'tls.crt': 7 }],
    ['more than any certificate has', { 'tls.crt': own + 'A'.repeat(98_304) }],
  ])('are unknown for %s', (_, data) => {
    expect(certificateFacts(data)).toEqual({});
  });
});

describe('the public keys of a Secret', () => {
  const data = { 'tls.crt': own, 'tls.key': base64(made['tls.key']), note: base64('no key') };

  it('are equal for a certificate and its key', () => {
    const found = publicKeysIn(data) ?? {};
    expect(Object.keys(found)).toEqual(['tls.crt', 'tls.key']);
    expect(found['tls.crt']).toBe(found['tls.key']);
  });

  it('are unknown in a recording, and if there are more than any generated Secret has', () => {
    expect(publicKeysIn({ ...data, 'tls.key': 'masked:MTIz' })).toBeUndefined();
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`key-${at}`, own]));
    expect(publicKeysIn(many)).toBeUndefined();
  });
});
