import { isIPv4, isIPv6 } from 'node:net';
import { RE2JS } from 're2js';

type Check = (text: string) => boolean;

/** Compiles a pattern for texts of any length: matches in linear time, unlike JavaScript's own engine. */
function linear(pattern: string): Check {
  const compiled = RE2JS.compile(pattern);
  return (text) => compiled.test(text);
}

function matching(pattern: RegExp): Check {
  return (text) => pattern.test(text);
}

function uuid(version: string, variant: string): Check {
  const groups = `[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}`;
  return matching(new RegExp(`^${groups}-?[0-9a-f]{12}$`, 'i'));
}

const hex = '[0-9a-f]';
const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

/** The checked string formats, by their names without dashes; the most frequent format also by its usual name. */
const formats: Readonly<Record<string, Check>> = {
  byte: linear('^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$'),
  cidr: isCidr,
  date: isDate,
  'date-time': isDateTime,
  datetime: isDateTime,
  duration: isDuration,
  email: linear('^([^<>]*<[^\\s@<>]+@[^\\s@<>]+>|[^\\s@<>]+@[^\\s@<>]+)$'),
  hexcolor: matching(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  hostname: isHostname,
  ipv4: isLenientIPv4,
  ipv6: isIPv6,
  k8slongname: matching(new RegExp(`^(?=.{1,253}$)${label}(\\.${label})*$`)),
  k8sshortname: matching(new RegExp(`^(?=.{1,63}$)${label}$`)),
  mac: matching(
    /^([0-9a-f]{2}([:-])([0-9a-f]{2}\2){4}[0-9a-f]{2}|([0-9a-f]{4}\.){2}[0-9a-f]{4})$/i,
  ),
  password: () => true,
  uri: isRequestUri,
  uuid: uuid(hex, hex),
  uuid3: uuid('3', hex),
  uuid4: uuid('4', '[89ab]'),
  uuid5: uuid('5', '[89ab]'),
};

/** Formats that the real server checks and this server does not. */
const missing = new Set([
  'bsonobjectid',
  'creditcard',
  'isbn',
  'isbn10',
  'isbn13',
  'rgbcolor',
  'ssn',
]);

/** Returns the check of a format; undefined for a format that the server does not know, and ignores. */
export function formatCheck(format: string): Check | undefined {
  return formats[format] ?? formats[format.replaceAll('-', '')];
}

/** Reports whether a schema must be refused because its format would not be checked here. */
export function isMissingFormat(format: string): boolean {
  return missing.has(format.replaceAll('-', ''));
}

// The server still accepts addresses with leading zeros.
function isLenientIPv4(text: string): boolean {
  return isIPv4(text.replace(/(^|\.)0+(?=\d)/g, '$1'));
}

function isCidr(text: string): boolean {
  const [, address = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(text) ?? [];
  if (isIPv6(address)) return Number(bits) <= 128;
  return isLenientIPv4(address) && Number(bits) <= 32;
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8));
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (daysOfMonths[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const [, hours = '99', minutes = '99', seconds = '99'] =
    /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})$/.exec(time) ?? [];
  return isDate(date) && hours <= '23' && minutes <= '59' && seconds <= '59';
}

const goDuration = linear('^[+-]?(0|((\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))+)$');
const unit =
  'ns|nano\\w*|us|µs|micro\\w*|ms|milli\\w*|s|sec\\w*|m|min\\w*|h|hr|hour\\w*|d|day\\w*|w|wk|week\\w*';
const wordedDuration = linear(`(?i)\\d\\s*(${unit})([^A-Za-zµ]|$)`);

function isDuration(text: string): boolean {
  return goDuration(text) || wordedDuration(text);
}

const seconds: readonly (readonly [unit: RegExp, each: number])[] = [
  [/^(ns|nano)/i, 1e-9],
  [/^(us|µs|micro)/i, 1e-6],
  [/^(ms|milli)/i, 1e-3],
  [/^s/i, 1],
  [/^h/i, 3600],
  [/^d/i, 86_400],
  [/^w/i, 604_800],
  [/^m/i, 60],
];

/** Converts a duration to Go's form, also from words with integer amounts. */
export function inGoForm(duration: string): string {
  if (goDuration(duration)) return duration;
  const amounts = [...duration.matchAll(/(\d{1,18})\s{0,9}([a-zµ]+)/gi)].map(
    ([, count, name = '']) => Number(count) * (seconds.find(([unit]) => unit.test(name))?.[1] ?? 0),
  );
  return `${amounts.reduce((sum, amount) => sum + amount, 0).toFixed(9)}s`;
}

const hostLabel = '[a-zA-Z0-9\\p{S}\\p{L}]';
const hostname = new RegExp(
  `^(${hostLabel}(-?${hostLabel}{0,62})?|(${hostLabel}((-|${hostLabel}){0,61}${hostLabel})?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  'u',
);

function isHostname(text: string): boolean {
  const isShort = text.length <= 255 && text.split('.').every((part) => part.length <= 63);
  return isShort && hostname.test(text);
}

function isRequestUri(text: string): boolean {
  if (/\p{Cc}/u.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return false;
  return text.startsWith('/') || /^[a-zA-Z][a-zA-Z0-9+.-]*:(\/|[^/])/.test(text);
}
