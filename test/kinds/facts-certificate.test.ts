import { describe, expect, it } from 'vitest';
import { certificateFacts } from '../../shared/kinds/child-types/facts.ts';
import { signCertificate } from '../../shared/resource/sign-certificate.ts';

const now = new Date('2026-11-26T12:00:00Z');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const made = await signCertificate({ commonName: 'a', days: 30 }, now, undefined);
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
    const { 'tls.crt': large } = await signCertificate(request, now, undefined);
    const data = { 'tls.crt': base64(large), 'ca.crt': base64(large) };
    expect(Object.keys(certificateFacts(data))).toEqual(['renewAt', 'authority']);
  });

  it.each([
    ['no data', undefined],
    ['a text that is no certificate', { 'tls.crt': base64('text'), 'ca.crt': base64('text') }],
    ['a value that is no text', { 'tls.crt': 7 }],
    ['more than any certificate has', { 'tls.crt': own + 'A'.repeat(50_000) }],
  ])('are unknown for %s', (_, data) => {
    expect(certificateFacts(data)).toEqual({});
  });
});
