import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { FieldError } from '../errors/field-error.ts';
import { invalid } from '../errors/field-error.ts';

// Leading zeros, once read as decimal, have a message of their own.
function withoutZeros(text: string): string {
  return text.replace(/(^|\.)0+(?=\d)/g, '$1');
}

/** Reports whether a text is an IP address, with or without leading zeros. */
export function isLenientAddress(text: string): boolean {
  return isIPv4(withoutZeros(text)) || isIPv6(text);
}

/** Refuses a text that is not an IP address. */
export function addressErrors(text: string, path: string): FieldError[] {
  if (!isLenientAddress(text)) {
    return [invalid(path, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  }
  if (!isIPv4(text) && !isIPv6(text)) return [invalid(path, text, 'must not have leading 0s')];
  return /^::ffff:.*\./i.test(text)
    ? [invalid(path, text, 'must not be an IPv4-mapped IPv6 address')]
    : [];
}

/** Refuses a text that is not a CIDR. */
export function rangeErrors(text: string, path: string): FieldError[] {
  const [address = '', bits = '', ...more] = text.split('/');
  const most = isIPv6(address) ? 128 : 32;
  const isRange = isLenientAddress(address) && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
  if (!isRange || more.length > 0) {
    const why = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
    return [invalid(path, text, why)];
  }
  if ((!isIPv4(address) && !isIPv6(address)) || /^0\d/.test(bits)) {
    return [invalid(path, text, 'must not have leading 0s in IP or prefix length')];
  }
  if (isIPv6(address) || !hasBitsBeyond(address, Number(bits))) return [];
  return [invalid(path, text, 'must not have bits set beyond the prefix length')];
}

function hasBitsBeyond(address: string, bits: number): boolean {
  const number = address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  return number % 2n ** BigInt(32 - bits) !== 0n;
}

/** Reports whether one CIDR lies within another and is smaller. */
export function isWithin(range: string, whole: string): boolean {
  const [address = '', bits = ''] = range.split('/');
  const [base = '', wholeBits = ''] = whole.split('/');
  const family = isIPv6(base) ? 'ipv6' : 'ipv4';
  if (isIPv6(address) !== isIPv6(base) || Number(bits) <= Number(wholeBits)) return false;
  const list = new BlockList();
  list.addSubnet(withoutZeros(base), Number(wholeBits), family);
  return list.check(withoutZeros(address), family);
}

const specialAddresses: readonly (readonly [range: RegExp, why: string])[] = [
  [/^(127\.|::1$)/, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [/^(169\.254\.|fe[89ab])/i, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [
    /^(224\.0\.0\.|ff02:)/i,
    'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  ],
];

/** Refuses addresses with a special meaning, such as loopback. */
export function specialErrors(text: string, path: string): FieldError[] {
  if (text === '0.0.0.0' || text === '::') {
    return [invalid(path, text, `may not be unspecified (${text})`)];
  }
  return specialAddresses
    .filter(([range]) => range.test(text))
    .map(([, why]) => invalid(path, text, why));
}
